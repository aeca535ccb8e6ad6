// How far the files that make up a config are trusted: those that somebody named wholly, those that were found as far as they were accepted.
import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { JsonObject } from 'toolwire'
import type { LoadOptions } from '../load.js'
import { type Machine, usualConfig, usualDataDir } from '../paths.js'
import type { Identified } from '../servers/upstreams.js'
import { acceptedFile, acceptedOf } from './accepted.js'
import { isEmpty, type Part, serverPart, settingsOf, type WaitingPart } from './parts.js'
import { howToAccept } from './words.js'

/** Has nobody said which config it is? What the user keeps as their own counts as said. */
export const isUnnamed = ({ path, flags, env, asFound }: Pick<LoadOptions, 'path' | 'flags' | 'env' | 'asFound'>): boolean =>
  asFound ?? !(path ?? flags?.config ?? env.TOOLWIRE_CONFIG)

export const isFound = (source: string, options: LoadOptions, machine: Machine): boolean =>
  isUnnamed(options) && source !== usualConfig(machine)

/** What is trusted of one found file. */
export type FileTrust = {
  /** Was anything of it accepted, as it is now or as it was? */
  readonly known: boolean
  /** Whether it was accepted; else it waits. */
  holds(part: Part): boolean
  /** The same, and nothing waits. */
  knows(part: Part): boolean
  /** Lets it wait, accepted or not. */
  wait(part: Part): void
}

/** What is trusted while one config is read. */
export class Trust {
  readonly store: string
  readonly waiting: WaitingPart[] = []
  /** All that was looked at, waiting or not. */
  readonly parts: WaitingPart[] = []
  /** Where others than the usual place are meant, commands have to be told. */
  readonly #dataDir: string | undefined

  constructor(machine: Machine, { flags = {} }: Pick<LoadOptions, 'flags'>) {
    this.store = acceptedFile(machine, flags)
    const dataDir = dirname(dirname(this.store))
    this.#dataDir = dataDir === usualDataDir(machine) ? undefined : dataDir
  }

  async of(path: string): Promise<FileTrust> {
    const file = await realpath(path).catch(() => path)
    const how = howToAccept(file, this.#dataDir)
    const accepted = await acceptedOf(this.store, file)
    // Settings that nobody has written are nothing to accept, until some were: taking them out is a change like any other.
    const knowsSettings = [...accepted].some((digest) => digest.startsWith('settings:'))
    const knows = (part: Part) => {
      this.parts.push({ ...part, file, how })
      return accepted.has(part.digest) || (isEmpty(part) && !knowsSettings)
    }
    const wait = (part: Part) => void this.waiting.push({ ...part, file, how })
    return {
      known: accepted.size > 0,
      knows,
      wait: (part) => {
        this.parts.push({ ...part, file, how })
        wait(part)
      },
      holds: (part) => {
        const isAccepted = knows(part)
        if (!isAccepted) wait(part)
        return isAccepted
      },
    }
  }
}

type Accepting = { readonly trust: FileTrust; readonly config: JsonObject; readonly areSettingsTrusted: boolean }

/** A server was accepted under the settings that stand beside it: under others, it waits with them. */
export function isAccepted(one: Identified, { trust, config, areSettingsTrusted }: Accepting): boolean {
  const part = serverPart(one, config)
  // Nothing is made of a server that is disabled. Enabling it is a change like any other.
  if ((settingsOf(one, config)?.disabled ?? one.entry.disabled) === true) return trust.knows(part)
  if (areSettingsTrusted) return trust.holds(part)
  trust.wait(part)
  return false
}

/** A server that is given variables which nobody has accepted. */
export class WaitsForTrust extends Error {
  override name = 'WaitsForTrust'
}
