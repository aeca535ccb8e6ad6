import { stat } from 'node:fs/promises'
import { machine } from 'toolwire/relay'
import { ConfigError, problem } from './config-error.js'
import { type ConfigChanges, diffConfigs, isUnchanged } from './diff-configs.js'
import { fileErrorReason } from './documents/read-document.js'
import type { GatewayConfig } from './gateway-config.js'
import { configSourceOf, type LoadOptions, loadConfig } from './load-config.js'
import { fileStampOf } from './servers/file-hash.js'
import { storedConfigPlace } from './stored-config.js'
import { isOutage, newestUsable, type StoredConfigs } from './stored-configs.js'
import { isUnnamedConfig } from './trust/trust.js'
import type { UntrustedPart } from './trust/untrusted-parts.js'

/** Options for loading a config and following its changes. */
export type WatchOptions = LoadOptions & {
  /** Versions in the database; the newest is used if there is no file. */
  readonly versions?: StoredConfigs
  /** Throws for a valid config that must not take effect, at the start or as a change. */
  readonly check?: (config: GatewayConfig, when: 'start' | 'change') => Promise<void>
  /** Milliseconds without changes before the files are read. */
  readonly settleMs?: number
  /** Interval in milliseconds for checking files that send no notifications, as on network drives. */
  readonly pollMs?: number
}

export type WatchedConfig = {
  readonly current: GatewayConfig
  /** The reason that the newest config cannot be used; undefined if it can. */
  readonly trouble: ConfigError | undefined
  close(): void
  [Symbol.dispose](): void
}

/** Applies a config. If it throws, the old config stays in force. */
export type OnConfigChange = (config: GatewayConfig, changes: ConfigChanges) => void
/** Receives each problem once, and undefined when the problem is solved. */
export type OnConfigError = (trouble: ConfigError | undefined) => void

/**
 * Reads the config, which must be usable, and reads it again whenever one of its files changes. If the newest version in a database is
 * unusable, an older one is used and `trouble` says why. `onTrouble` receives later problems.
 */
export async function watchConfig(
  options: WatchOptions,
  onChange: OnConfigChange,
  onTrouble: OnConfigError,
): Promise<WatchedConfig> {
  const first = await firstConfig(options)
  const watcher = new ConfigWatcher({ settleMs: 100, ...options, onChange, onTrouble }, first)
  await watcher.start()
  return watcher
}

type UsableConfig = { readonly config: GatewayConfig; readonly trouble?: ConfigError }

export function firstConfig(options: WatchOptions): Promise<UsableConfig> {
  const load = async (place: Partial<LoadOptions>) => {
    const config = await loadConfig({ ...options, ...place })
    await options.check?.(config, 'start')
    return config
  }
  return usableConfig(undefined, options, { load })
}

type CurrentConfig = Pick<GatewayConfig, 'source' | 'version'>

type Loading = {
  readonly load: (place: Partial<LoadOptions>) => Promise<GatewayConfig>
  /** Only newer versions take the place of an unusable one. */
  readonly above?: number
}

/** The config to use after the current one. Of versions in a database, it is the newest that can be loaded, so one bad push stops nothing. */
async function usableConfig(
  current: CurrentConfig | undefined,
  options: WatchOptions,
  { load, above = 0 }: Loading,
): Promise<UsableConfig> {
  const { versions } = options
  let place: Partial<LoadOptions> = {}
  try {
    place = await placeOf(current, options)
    return { config: await load(place) }
  } catch (thrown) {
    if (!versions || isOutage(thrown) || (await hasFile(current, options))) throw thrown
    const { stored } = place
    const below = stored?.version ?? versions.newestVersion
    const config = await newestUsable(versions, { below, above, load: (older) => load({ stored: older }) })
    if (!config) throw thrown
    return { config, trouble: asConfigError(thrown, stored && storedConfigPlace(stored)) }
  }
}

/** Once a file was found, the config stays with it: if it is deleted, neither another file nor the database takes its place. */
async function placeOf(current: CurrentConfig | undefined, options: WatchOptions): Promise<Partial<LoadOptions>> {
  if (current?.source !== undefined) return { path: current.source, asFound: isUnnamedConfig(options) }
  const stored = (await hasFile(current, options)) ? undefined : await options.versions?.read()
  if (!stored && current?.version !== undefined) throw problem('', 'the database has no config any more; push one again')
  return stored ? { stored } : {}
}

const hasFile = async (current: CurrentConfig | undefined, options: WatchOptions): Promise<boolean> =>
  current?.source !== undefined || (current?.version === undefined && (await configSourceOf(options)) !== undefined)

type Watching = Required<Pick<WatchOptions, 'settleMs'>> &
  WatchOptions & { readonly onChange: OnConfigChange; readonly onTrouble: OnConfigError }

class ConfigWatcher implements WatchedConfig {
  current: GatewayConfig
  trouble: ConfigError | undefined
  readonly #options: Watching
  /** State of the files when they were last read; undefined before the first check. */
  #lastSnapshot: string | undefined
  /** The newest version of the database when it was last read. */
  #newestRead: number
  #changes: machine.FileChanges | undefined
  #closed = false

  constructor(options: Watching, { config, trouble }: UsableConfig) {
    this.#options = options
    this.current = config
    this.trouble = trouble
    this.#newestRead = options.versions?.newestVersion ?? 0
  }

  async start(): Promise<void> {
    const changes = await machine.onFileChange(
      () => this.current.files,
      () => this.#checkFiles(),
      this.#options,
    )
    this.#changes = changes
    this.#options.versions?.onChange(changes.hear)
  }

  close(): void {
    this.#closed = true
    this.#changes?.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  async #checkFiles(): Promise<void> {
    const before = await this.#snapshot()
    // While there is a problem, the missing part may be a file that was never read.
    if (before === this.#lastSnapshot && !this.trouble) return
    await new Promise((resolve) => setTimeout(resolve, this.#options.settleMs).unref())
    // An editor may write the file in pieces, so wait until it stops changing.
    if (before !== (await this.#snapshot()) || this.#closed) return
    const newest = this.#options.versions?.newestVersion ?? 0
    const take = await this.#readAgain()
    // The file may have changed while it was read.
    if (before !== (await this.#snapshot()) || this.#closed) return
    take()
    this.#lastSnapshot = before
    this.#newestRead = newest
  }

  /** Reads the config, and returns the function that puts it in force. */
  async #readAgain(): Promise<() => void> {
    const { source } = this.current
    const failed = (thrown: unknown) => this.#settle(asConfigError(thrown, source))
    try {
      const { config, trouble } = await usableConfig(this.current, this.#options, {
        load: (place) => this.#load(place),
        above: this.#newestRead,
      })
      return () => {
        try {
          this.#apply(config, trouble)
        } catch (thrown) {
          failed(thrown)
        }
      }
    } catch (thrown) {
      return () => failed(thrown)
    }
  }

  async #load(place: Partial<LoadOptions>): Promise<GatewayConfig> {
    try {
      const config = await loadConfig({ ...this.#options, ...place })
      const waiting = newlyWaiting(this.current, config)
      if (waiting) throw settingsWait(waiting, config)
      await this.#options.check?.(config, 'change')
      return config
    } catch (thrown) {
      throw isOutage(thrown)
        ? thrown
        : asConfigError(thrown, place.stored ? storedConfigPlace(place.stored) : this.current.source)
    }
  }

  #apply(config: GatewayConfig, trouble: ConfigError | undefined): void {
    const changes = diffConfigs(this.current, config)
    if (!isUnchanged(changes) || config.version !== this.current.version) this.#options.onChange(config, changes)
    this.current = config
    this.#settle(trouble)
  }

  #settle(trouble: ConfigError | undefined): void {
    const isKnown = this.trouble?.message === trouble?.message
    this.trouble = trouble
    if (!isKnown) this.#options.onTrouble(trouble)
  }

  /** Identifies the state of the files; a missing file counts by its error. */
  async #snapshot(): Promise<string> {
    const { files, source, version } = this.current
    const newest = this.#options.versions?.newest ?? ''
    if (source === undefined && version === undefined)
      return (await configSourceOf(this.#options).catch(fileErrorReason)) ?? newest
    const stamps = await Promise.all(files.map((path) => stat(path, { bigint: true }).then(fileStampOf, fileErrorReason)))
    return [newest, ...stamps].join('\n')
  }
}

/** Only a listener throws anything else than a ConfigError. */
const asConfigError = (thrown: unknown, file: string | undefined): ConfigError =>
  thrown instanceof ConfigError
    ? thrown
    : new ConfigError([{ at: '', message: `cannot be applied: ${fileErrorReason(thrown)}` }], { file, cause: thrown })

/** The settings or the rules that wait for acceptance. */
const waitingSettings = ({ trust }: GatewayConfig) => trust?.waiting.find(({ kind }) => kind === 'settings' || kind === 'policy')

/**
 * The settings or rules for which the config must wait. Servers were accepted under those in force, which stay until others are accepted, or
 * the file is forgotten.
 */
const newlyWaiting = (before: GatewayConfig, after: GatewayConfig): UntrustedPart | undefined =>
  before.source !== undefined && !waitingSettings(before) && after.trust?.known ? waitingSettings(after) : undefined

function settingsWait({ kind, how }: UntrustedPart, { source }: GatewayConfig): ConfigError {
  const [at, what] = kind === 'policy' ? ['/toolwire/policy', 'rules'] : ['/toolwire', 'settings']
  return new ConfigError([{ at, message: `these ${what} wait for trust. Review and accept them: ${how}` }], { file: source })
}
