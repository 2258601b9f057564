/** Settings of the object store, of who looks at uploads, and of who draws them. */
import { readClamdAddress } from "../../../actors/uploads/scanning/clamd.ts";
import { isPlainPath } from "../../../storage/files/file-store.ts";
import { integer, oneOf, parsed, row, setting, text, textLike, webAddress } from "./setting.ts";

export const fileSettings = {
  ...row(
    "An S3 store for uploads, pictures and exports ([Files](files.md)): the bucket, and where new files go, " +
      "`s3` or `folder`; what is not there is looked for in the other",
    {
      bucket: setting(
        "PARLEY_S3_BUCKET",
        textLike((given) => /^[a-z0-9][a-z0-9._-]{1,62}$/.test(given), "the name of a bucket"),
      ),
      goTo: setting("PARLEY_FILES", oneOf("folder", "s3"), undefined, "`s3` where a bucket is named"),
    },
  ),
  ...row("Where the store is, its region, and whether the bucket is named in the `path` or in the `host`", {
    endpoint: setting("PARLEY_S3_ENDPOINT", webAddress, undefined, "AWS of the region"),
    region: setting("PARLEY_S3_REGION", text, undefined, "`us-east-1`"),
    style: setting(
      "PARLEY_S3_STYLE",
      oneOf("path", "host"),
      undefined,
      "`path` where an endpoint is named, else `host`",
    ),
  }),
  ...row("What stands before the name of each file in the bucket", {
    prefix: setting("PARLEY_S3_PREFIX", textLike(isPlainPath, "plain names with / between them"), ""),
  }),
  ...row("Encryption that is asked of the store for each file: `AES256` or `aws:kms`, and which key", {
    encryption: setting("PARLEY_S3_ENCRYPTION", oneOf("AES256", "aws:kms")),
    kmsKey: setting("PARLEY_S3_KMS_KEY", text),
  }),
  ...row("Keys of the store; without them those in a file, as AWS's tools have it, or those of the machine's role", {
    accessKeyId: setting("PARLEY_S3_ACCESS_KEY_ID", text),
    secretAccessKey: setting("PARLEY_S3_SECRET_ACCESS_KEY", text),
    sessionToken: setting("PARLEY_S3_SESSION_TOKEN", text),
    credentialsFile: setting("PARLEY_S3_CREDENTIALS_FILE", text),
    metadataUrl: setting("PARLEY_S3_METADATA_URL", webAddress, "http://169.254.169.254"),
  }),
  ...row("How long the store may be silent within a request before that is given up with 503", {
    timeoutMs: setting("PARLEY_S3_TIMEOUT_MS", integer(100, 600_000), 10_000),
  }),
  ...row(
    "Answers downloads and thumbnails by a redirect to an address of the store that works for so many seconds " +
      "([Files](files.md)), and where people's devices reach the store",
    {
      addressSecs: setting(
        "PARLEY_S3_ADDRESS_SECS",
        integer(10, 86_400),
        undefined,
        "none: the server sends the bytes",
      ),
      addressEndpoint: setting("PARLEY_S3_ADDRESS_ENDPOINT", webAddress, undefined, "`PARLEY_S3_ENDPOINT`"),
    },
  ),
};

/** A path, or `off` for none. */
const program = textLike((given) => given === "off" || given.startsWith("/"), "the path of a program, or off");

export const programSettings = {
  ...row(
    "Who draws a frame of films, and pictures in HEIC, the format of many phones ([Files](files.md)): the path of a " +
      "program, or `off`",
    {
      ffmpeg: setting("PARLEY_FFMPEG", program, undefined, "`ffmpeg` of the system, where it is there"),
      heifConvert: setting(
        "PARLEY_HEIF_CONVERT",
        program,
        undefined,
        "`heif-convert` of the system, where it is there",
      ),
    },
  ),
};

export const scanSettings = {
  ...row(
    "Where clamd listens, which looks at each upload before anybody may read it ([Files](files.md)): a host and a port, " +
      "or the path of its socket, and for how long it may be silent",
    {
      clamd: setting("PARLEY_CLAMD", parsed(readClamdAddress)),
      clamdTimeoutMs: setting("PARLEY_CLAMD_TIMEOUT_MS", integer(100, 3_600_000), 180_000),
    },
  ),
};
