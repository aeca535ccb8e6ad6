import { isDeepStrictEqual } from 'node:util'
import { type GatewayConfig, hasSpool, type UpstreamConfig } from './gateway-config.js'

/** What a new config means for a gateway that runs. */
export type ConfigChanges = {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Reached or started in another way than before: these are restarted, and no others. */
  readonly changed: readonly string[]
  /** Still the same connection; what is offered of it is another thing. */
  readonly revised: readonly string[]
  /** Settings that came into force. */
  readonly settings: readonly string[]
  /** Settings that come into force when the gateway is started again. */
  readonly restart: readonly string[]
}

const access = ['allowedHosts', 'allowedOrigins', 'callers', 'apiKey'] as const
const restartSettings = ['port', 'host', 'console', 'dataDir', ...access, 'redisUrl', 'store'] as const
const approving = ['policy', 'guard', 'approvals', 'webhook', 'trust'] as const
const liveSettings = ['sets', ...approving, 'logLevel', 'retention', 'witness', 'clients'] as const

/** All of them. */
export const comparedSettings = [...liveSettings, ...restartSettings] as const

/** Compares two configs. Upstreams are known by their ids; one that is disabled is as good as gone. */
export function diffConfigs(before: GatewayConfig, after: GatewayConfig): ConfigChanges {
  const old = openOf(before)
  const now = openOf(after)
  const both = [...now.values()].flatMap((upstream) => {
    const other = old.get(upstream.id)
    return other ? [{ id: upstream.id, upstream, other }] : []
  })
  const changed = both.filter(({ upstream, other }) => !isSameUpstream(upstream, other)).map(({ id }) => id)
  const revised = both.filter(({ id, upstream, other }) => !changed.includes(id) && !isDeepStrictEqual(upstream, other))
  return {
    added: [...now.keys()].filter((id) => !old.has(id)),
    removed: [...old.keys()].filter((id) => !now.has(id)),
    changed,
    revised: revised.map(({ id }) => id),
    settings: liveSettings.filter((name) => !isDeepStrictEqual(before[name], after[name])),
    restart: [
      ...restartSettings.filter((name) => !isDeepStrictEqual(before[name], after[name])),
      ...(hasSpool(before) === hasSpool(after) ? [] : ['guard.audit.spool']),
    ],
  }
}

/** Is there anything to do? */
export const isUnchanged = (changes: ConfigChanges): boolean => Object.values(changes).every((names) => names.length === 0)

const openOf = ({ upstreams }: GatewayConfig): Map<string, UpstreamConfig> =>
  new Map(upstreams.filter(({ disabled }) => !disabled).map((upstream) => [upstream.id, upstream]))

const isSameUpstream = (one: UpstreamConfig, other: UpstreamConfig): boolean =>
  isDeepStrictEqual(one.target, other.target) && isDeepStrictEqual(one.revision, other.revision)
