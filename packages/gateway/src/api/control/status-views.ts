// Public views of the gateway's state.

import type { MissingName } from '../../catalog/missing-names/missing-name.js'
import { describedTarget } from '../../config/describe-config.js'
import type { GatewayConfig } from '../../config/gateway-config.js'
import { untrustedLines, untrustedServers } from '../../config/trust/trust-messages.js'
import type { UntrustedPart } from '../../config/trust/untrusted-parts.js'
import { heldBackLines } from '../../guard/pins/held-back-lines.js'
import type { HeldBackDefinition } from '../../guard/pins/pin-views.js'
import type { SpoolState } from '../../store/postgres/spool/record-spool.js'
import type { Store } from '../../store/store.js'
import { shortReason } from '../../upstreams/short-reason.js'
import type { Upstream } from '../../upstreams/upstream.js'
import type { GatewayHealth, ServerView } from './control.js'

export function serverViewOf(
  upstream: Upstream,
  config: GatewayConfig,
  about: Partial<ServerView> & { tools: number },
): ServerView {
  const { id, status } = upstream
  const why = status.why === undefined ? {} : { why: config.secrets.mask(status.why) }
  return { id, target: describedTarget(config, upstream.config), ...status, ...why, trusted: upstream.config.trusted, ...about }
}

const untrustedState = 'waits for trust'

/** A server that waits for acceptance, so there is nothing else to show. */
export const untrustedServerView = ({ id, how }: UntrustedPart & { readonly id: string }, since: number): ServerView => ({
  id,
  target: {},
  state: untrustedState,
  why: `not accepted yet. Review and accept it: ${how}`,
  ...{ since, restarts: 0, trusted: false, tools: 0 },
})

type HealthParts = {
  readonly leaving: boolean
  readonly auditIsOn: boolean
  readonly store: Pick<Store, 'trouble' | 'spooled'>
  readonly policyTrouble: Error | undefined
  readonly configTrouble: Error | undefined
  readonly configVersion: GatewayHealth['configVersion'] | undefined
  readonly missing: readonly MissingName[]
  readonly upstreams: readonly Upstream[]
  /** Parts of discovered configs that wait for acceptance. */
  readonly untrusted: readonly UntrustedPart[]
  /** Definitions that wait to be accepted or refused. */
  readonly heldBack: readonly HeldBackDefinition[]
  readonly mask: (text: string) => string
}

export function healthOf(parts: HealthParts): GatewayHealth {
  const {
    leaving,
    auditIsOn,
    store,
    policyTrouble,
    configTrouble,
    configVersion,
    missing,
    upstreams,
    untrusted,
    heldBack,
    mask,
  } = parts
  const { trouble: storeTrouble, spooled } = store
  const lost = upstreams.filter(isLost)
  const troubles = [
    ...(storeTrouble === undefined ? [] : [`audit: ${wordsOf(storeTrouble)}`]),
    ...(spooled ? spoolLines(spooled) : []),
    ...(policyTrouble ? [`policy: ${policyTrouble.message}; the previous rules stay in force`] : []),
    ...(configTrouble
      ? [
          `config: ${configTrouble.message}; ${configVersion ? `version ${configVersion.inForce} is` : 'the previous config stays'} in force`,
        ]
      : []),
    ...missing.flatMap(({ message, isPrecaution }) => (isPrecaution ? [] : [message])),
    ...lost.map(({ id, status }) => `server ${id}: ${shortReason(status.why ?? status.state)}`),
    ...untrustedLines(untrusted),
    ...heldBackLines(heldBack),
  ].map(mask)
  const canRecord = storeTrouble === undefined || (spooled !== undefined && spooled.trouble === undefined)
  const isFailing = !canRecord && auditIsOn
  return {
    status: leaving ? 'draining' : isFailing ? 'failing' : troubles.length > 0 ? 'degraded' : 'ok',
    troubles,
    upstreams: Object.fromEntries([
      ...upstreams.map(({ id, status }) => [id, status.state]),
      ...untrustedServers(untrusted).map(({ id }) => [id, untrustedState]),
    ]),
    ...(configVersion && { configVersion }),
    audit: { on: auditIsOn, ok: canRecord, ...(spooled && { spool: { records: spooled.records, bytes: spooled.bytes } }) },
  }
}

const lostStates: ReadonlySet<string> = new Set(['failing', 'broken', 'needs login'])

/** A server that is tried again keeps the reason of its last failure until it is ready. */
const isLost = ({ status: { state, why } }: Upstream): boolean =>
  lostStates.has(state) || (state === 'opening' && why !== undefined)

function spoolLines({ records, bytes, trouble }: SpoolState): string[] {
  const size = `${Math.ceil(bytes / 1_024)} KiB`
  return [
    ...(trouble === undefined ? [] : [`audit: ${wordsOf(trouble)}`]),
    ...(records === 0 ? [] : [`audit: ${records} records (${size}) wait on the local disk until PostgreSQL is available`]),
  ]
}

const wordsOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))
