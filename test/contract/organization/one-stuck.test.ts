/** Changes of one organization hang in the database: those of the others go on, and so does the node. */
import { expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { askAsOperator } from "../../support/client/as-operator.ts";
import { secondOrganization } from "../../support/people/second-organization.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

const server = testServer({ alsoOn: ["two nodes"] });

it("one that hangs is told of, and takes the node from nobody else", async () => {
  const { id, client: stuck } = await secondOrganization(server.database, server.url);
  const { client } = server.owner;
  const rename = (name: string) => client.patch("/settings", { full_name: name });
  const holder = await server.database.sql.reserve();
  await holder`begin`;
  try {
    await holder`select id from users where realm_id = ${id} for update`;
    const waiting = stuck.patch("/settings", { full_name: "Waits" });
    let count = 0;
    await until("the node to tell", async () => {
      expectSuccess(await rename(`Owner ${count++}`));
      return (await stuckOnes()).includes(id);
    });
    expectSuccess(await rename("Goes on"));
    expect(await stuckOnes()).toEqual([id]);
    expect((await askAsOperator(`${server.url}/health`)).status).toBe(200);
    await holder`rollback`;
    expectSuccess(await waiting);
  } finally {
    await holder`rollback`;
    holder.release();
  }
  await until("it to be well", async () => (await stuckOnes()).length === 0);
});

const stuckOnes = async (): Promise<number[]> => {
  const text = await (await askAsOperator(`${server.url}/metrics`)).text();
  return [...text.matchAll(/^parley_realm_stuck\{realm="(\d+)"\} 1$/gm)].map(([, realm]) => Number(realm));
};
