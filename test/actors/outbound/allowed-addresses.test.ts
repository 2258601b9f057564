import { describe, expect, it } from "vitest";
import { isOpenAddress, parseAllowedAddresses } from "../../../actors/outbound/allowed-addresses.mjs";

describe("addresses that are asked on somebody's behalf", () => {
  it.each(["8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700:4700::1111", "2a00:1450:4001:81c::200e"])(
    "%s is of the open internet",
    (address) => expect(isOpenAddress(address)).toBe(true),
  );

  it.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "198.18.0.1",
    "203.0.113.9",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::7f00:1",
    "fe80::1",
    "fc00::1",
    "fd12:3456::1",
    "ff02::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "no address",
    "",
  ])("%s is not", (address) => expect(isOpenAddress(address)).toBe(false));

  it("are more where the operator says so", () => {
    const rule = parseAllowedAddresses("10.1.2.0/24, 127.0.0.1 fd00::/8");
    const asked = ["10.1.2.77", "127.0.0.1", "fd00::5", "8.8.8.8", "10.1.3.1", "127.0.0.2", "fe80::1", "no"];
    expect(asked.map(rule)).toEqual([true, true, true, true, false, false, false, false]);
  });

  it.each(["10.1.2.0/33", "localhost", "10.1.2", "::/129", "10.0.0.0/8/8", "10.0.0.0/"])("%s is no range", (text) =>
    expect(() => parseAllowedAddresses(text)).toThrow(`not "${text}"`),
  );
});
