// Requests as text. What every request of a revision repeats about the client is encoded once.
import { encodeJson, type JsonObject } from '../../json.js'
import { metaKeys } from '../../revisions/meta-keys.js'
import type { ClientCapabilities, Revision } from '../../revisions/revision.js'
import type { LogLevel } from '../../tools/context.js'

export type ClientDeclaration = {
  readonly clientInfo: JsonObject | undefined
  readonly capabilities: ClientCapabilities
  readonly logLevel: LogLevel | undefined
}

/** What each request says about its client, where the revision has no handshake. */
export function declarationMeta(
  revision: Revision,
  { clientInfo, capabilities, logLevel }: ClientDeclaration,
): JsonObject | undefined {
  if (revision.style === 'handshake') return undefined
  return {
    [metaKeys.protocolVersion]: revision.version,
    [metaKeys.clientCapabilities]: capabilities,
    ...(clientInfo && { [metaKeys.clientInfo]: clientInfo }),
    ...(logLevel && { [metaKeys.logLevel]: logLevel }),
  }
}

/** Text of a request whose `_meta` is encoded already. */
export function encodeRequestWithMeta(
  id: number,
  method: string,
  params: JsonObject | undefined,
  metaText: string | undefined,
): string {
  const start = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)}`
  if (metaText === undefined) return params === undefined ? `${start}}` : `${start},"params":${encodeJson(params)}}`
  const body = params === undefined ? '{}' : encodeJson(params)
  return `${start},"params":${body.slice(0, -1)}${body.length > 2 ? ',' : ''}"_meta":${metaText}}}`
}
