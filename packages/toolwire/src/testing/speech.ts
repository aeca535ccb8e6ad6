// How a client of an edition introduces itself.
import type { JsonObject } from '../json.js'
import { meta } from '../revisions/meta.js'
import type { ClientCapabilities, Revision } from '../revisions/revision.js'
import type { LogLevel } from '../tools/context.js'

const clientInfo = { name: 'toolwire-harness', version: '1.0.0' }

export type Speech = {
  readonly revision: Revision
  readonly capabilities: ClientCapabilities
  readonly logLevel: LogLevel | undefined
  /** What each request says about itself. */
  readonly meta: JsonObject
}

export function speechOf(
  revision: Revision,
  { capabilities, logLevel }: { capabilities: ClientCapabilities; logLevel: LogLevel | undefined },
): Speech {
  if (revision.opening === 'handshake') return { revision, capabilities, logLevel, meta: {} }
  const said = {
    [meta.protocolVersion]: revision.version,
    [meta.clientInfo]: clientInfo,
    [meta.clientCapabilities]: capabilities,
  }
  return { revision, capabilities, logLevel, meta: logLevel === undefined ? said : { ...said, [meta.logLevel]: logLevel } }
}

type Step = { id: boolean; method: string; params?: JsonObject }

/** What goes before the first real request. */
export function opening({ revision, capabilities, logLevel }: Speech): Step[] {
  if (revision.opening === 'per-request') return []
  const handshake: Step[] = [
    { id: true, method: 'initialize', params: { protocolVersion: revision.version, capabilities, clientInfo } },
    { id: false, method: 'notifications/initialized' },
  ]
  return logLevel === undefined
    ? handshake
    : [...handshake, { id: true, method: 'logging/setLevel', params: { level: logLevel } }]
}
