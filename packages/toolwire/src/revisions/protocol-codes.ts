/** The error codes that revisions of the protocol have added to those of JSON-RPC. */
export const protocolCodes = {
  resourceMissing: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
  urlRequired: -32042,
} as const
