// How a client of an edition introduces itself.
import type { JsonObject } from '../json.js'
import { metaKeys } from '../revisions/meta-keys.js'
import type { ClientCapabilities, Revision } from '../revisions/revision.js'
import type { LogLevel } from '../tools/context.js'

const clientInfo = { name: 'toolwire-harness', version: '1.0.0' }

export type ClientProtocol = {
  readonly revision: Revision
  readonly capabilities: ClientCapabilities
  readonly logLevel: LogLevel | undefined
  /** What each request says about itself. */
  readonly meta: JsonObject
}

export function clientProtocol(
  revision: Revision,
  { capabilities, logLevel }: { capabilities: ClientCapabilities; logLevel: LogLevel | undefined },
): ClientProtocol {
  if (revision.style === 'handshake') return { revision, capabilities, logLevel, meta: {} }
  const said = {
    [metaKeys.protocolVersion]: revision.version,
    [metaKeys.clientInfo]: clientInfo,
    [metaKeys.clientCapabilities]: capabilities,
  }
  return { revision, capabilities, logLevel, meta: logLevel === undefined ? said : { ...said, [metaKeys.logLevel]: logLevel } }
}

type Step = { id: boolean; method: string; params?: JsonObject }

/** What goes before the first real request. */
export function openingSteps({ revision, capabilities, logLevel }: ClientProtocol): Step[] {
  if (revision.style === 'per-request') return []
  const handshake: Step[] = [
    { id: true, method: 'initialize', params: { protocolVersion: revision.version, capabilities, clientInfo } },
    { id: false, method: 'notifications/initialized' },
  ]
  return logLevel === undefined
    ? handshake
    : [...handshake, { id: true, method: 'logging/setLevel', params: { level: logLevel } }]
}
