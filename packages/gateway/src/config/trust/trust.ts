// How far the files that make up a config are trusted: those that somebody named wholly, those that were found as far as they were accepted.
import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { JsonObject } from 'toolwire'
import type { LoadOptions } from '../load-config.js'
import { defaultConfigPath, defaultDataDir, type Machine } from '../paths.js'
import type { IdentifiedEntry } from '../servers/upstream-configs.js'
import { acceptedDigests, trustStorePath } from './accepted-parts.js'
import { trustCommand } from './trust-messages.js'
import { type ConfigPart, isEmptySettings, serverPart, type UntrustedPart, writtenServerSettings } from './untrusted-parts.js'

type Said = Pick<LoadOptions, 'path' | 'flags' | 'env' | 'asFound'>

/** Has nobody said which config it is? What the user keeps as their own counts as said. */
export const isUnnamedConfig = ({ path, flags, env, asFound }: Said): boolean =>
  asFound ?? !(path ?? flags?.config ?? env.TOOLWIRE_CONFIG)

export const isFoundConfig = (source: string, options: LoadOptions, machine: Machine): boolean =>
  isUnnamedConfig(options) && source !== defaultConfigPath(machine)

/** What is trusted of one found file. */
export type FileTrust = Awaited<ReturnType<TrustCheck['of']>>
export type TrustCheck = ReturnType<typeof trustCheck>

/** What is trusted while one config is read. */
export function trustCheck(machine: Machine, { flags = {} }: Pick<LoadOptions, 'flags'>) {
  const store = trustStorePath(machine, flags)
  const found = dirname(dirname(store))
  /** Where others than the usual place are meant, commands have to be told. */
  const dataDir = found === defaultDataDir(machine) ? undefined : found
  const waiting: UntrustedPart[] = []
  const parts: UntrustedPart[] = []
  return {
    store,
    waiting,
    /** All that was looked at, waiting or not. */
    parts,
    async of(path: string) {
      const file = await realpath(path).catch(() => path)
      const how = trustCommand(file, dataDir)
      const accepted = await acceptedDigests(store, file)
      // Settings that nobody has written are nothing to accept, until some were: taking them out is a change like any other.
      const knowsSettings = [...accepted].some((digest) => digest.startsWith('settings:'))
      /** Whether it was accepted; nothing waits. */
      const knows = (part: ConfigPart) => {
        parts.push({ ...part, file, how })
        return accepted.has(part.digest) || (isEmptySettings(part) && !knowsSettings)
      }
      /** Whether it was accepted, and may hold; else it waits. */
      const holds = (part: ConfigPart, mayHold = true) => {
        const isAccepted = knows(part) && mayHold
        if (!isAccepted) waiting.push({ ...part, file, how })
        return isAccepted
      }
      // Known is a file of which anything was accepted, as it is now or as it was.
      return { known: accepted.size > 0, knows, holds }
    },
  }
}

type TrustContext = { readonly trust: FileTrust; readonly config: JsonObject; readonly areSettingsTrusted: boolean }

/** A server was accepted under the settings that stand beside it: under others, it waits with them. */
export function isAcceptedServer(one: IdentifiedEntry, { trust, config, areSettingsTrusted }: TrustContext): boolean {
  const part = serverPart(one, config)
  // Nothing is made of a server that is disabled. Enabling it is a change like any other.
  const isDisabled = (writtenServerSettings(one, config)?.disabled ?? one.entry.disabled) === true
  return isDisabled ? trust.knows(part) : trust.holds(part, areSettingsTrusted)
}

/** A server that is given variables which nobody has accepted. */
export class UntrustedVariablesError extends Error {
  override name = 'WaitsForTrust'
}
