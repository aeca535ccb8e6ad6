import { isDeepStrictEqual } from 'node:util'
import { type GatewayConfig, hasSpool, type UpstreamConfig } from './gateway-config.js'

export type ConfigChanges = {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Upstreams with another target or revision: only these are restarted. */
  readonly changed: readonly string[]
  /** Upstreams with the same connection but other settings. */
  readonly revised: readonly string[]
  /** Settings that take effect at once. */
  readonly settings: readonly string[]
  /** Settings that take effect after a restart. */
  readonly restart: readonly string[]
}

const access = ['allowedHosts', 'allowedOrigins', 'callers', 'apiKey'] as const
const restartSettings = ['port', 'host', 'console', 'dataDir', ...access, 'redisUrl', 'store'] as const
const approving = ['policy', 'guard', 'approvals', 'webhook', 'trust'] as const
const liveSettings = ['sets', 'commands', 'import', ...approving, 'logLevel', 'retention', 'witness', 'clients'] as const

export const comparedSettings = [...liveSettings, ...restartSettings] as const

export const needsRestart = (setting: string): boolean => restartSettings.some((name) => name === setting)

/** Compares two configs. Upstreams are matched by id, and a disabled upstream counts as removed. */
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

export const isUnchanged = (changes: ConfigChanges): boolean => Object.values(changes).every((names) => names.length === 0)

const openOf = ({ upstreams }: GatewayConfig): Map<string, UpstreamConfig> =>
  new Map(upstreams.filter(({ disabled }) => !disabled).map((upstream) => [upstream.id, upstream]))

const isSameUpstream = (one: UpstreamConfig, other: UpstreamConfig): boolean =>
  isDeepStrictEqual(one.target, other.target) && isDeepStrictEqual(one.revision, other.revision)
