// Trust in the files of a config. A file that was named is trusted wholly; a discovered file, as far as its parts were accepted.
import { dirname } from 'node:path'
import type { JsonObject } from 'toolwire'
import type { LoadOptions } from '../load-config.js'
import { defaultConfigPath, defaultDataDir, type Machine } from '../paths.js'
import type { IdentifiedEntry } from '../servers/upstream-configs.js'
import { acceptedDigests, acceptedFileOf, trustStorePath } from './accepted-parts.js'
import { trustCommand } from './trust-messages.js'
import { type ConfigPart, isEmptySettings, serverPart, type UntrustedPart, writtenServerSettings } from './untrusted-parts.js'

type ConfigChoice = Pick<LoadOptions, 'path' | 'flags' | 'env' | 'asFound'>

/** Was no config named? The user's own config counts as named. */
export const isUnnamedConfig = ({ path, flags, env, asFound }: ConfigChoice): boolean =>
  asFound ?? !(path ?? flags?.config ?? env.TOOLWIRE_CONFIG)

export const isFoundConfig = (source: string, options: LoadOptions, machine: Machine): boolean =>
  isUnnamedConfig(options) && source !== defaultConfigPath(machine)

export type FileTrust = Awaited<ReturnType<TrustCheck['of']>>
export type TrustCheck = ReturnType<typeof trustCheck>

/** Tracks the trust in files while one config is read. */
export function trustCheck(machine: Machine, { flags = {} }: Pick<LoadOptions, 'flags'>) {
  const store = trustStorePath(machine, flags)
  const found = dirname(dirname(store))
  /** Only a data directory other than the default must be named in commands. */
  const dataDir = found === defaultDataDir(machine) ? undefined : found
  const waiting: UntrustedPart[] = []
  const parts: UntrustedPart[] = []
  return {
    store,
    waiting,
    /** All parts that were checked, whether they wait or not. */
    parts,
    async of(path: string) {
      const file = await acceptedFileOf(path)
      const how = trustCommand(file, dataDir)
      const accepted = await acceptedDigests(store, file)
      // Missing settings need no acceptance until some were accepted; after that, removing them is a change like any other.
      const knowsSettings = [...accepted].some((digest) => digest.startsWith('settings:'))
      /** Was a part accepted? Adds nothing to `waiting`. */
      const knows = (part: ConfigPart) => {
        parts.push({ ...part, file, how })
        return accepted.has(part.digest) || (isEmptySettings(part) && !knowsSettings)
      }
      /** Was a part accepted, and may it be used? Otherwise it is added to `waiting`. */
      const holds = (part: ConfigPart, mayHold = true) => {
        const isAccepted = knows(part) && mayHold
        if (!isAccepted) waiting.push({ ...part, file, how })
        return isAccepted
      }
      // A file is known once any part of it was accepted, even a part that has changed since.
      return { known: accepted.size > 0, knows, holds }
    },
  }
}

type TrustContext = { readonly trust: FileTrust; readonly config: JsonObject; readonly areSettingsTrusted: boolean }

/** Was a server accepted? Acceptance includes the settings in its file: if they wait, the server waits too. */
export function isAcceptedServer(one: IdentifiedEntry, { trust, config, areSettingsTrusted }: TrustContext): boolean {
  const part = serverPart(one, config)
  // A disabled server is not used, so it need not wait. Enabling it is a change like any other. Waiting settings disable nothing, because
  // they are not read.
  const isDisabled = (writtenServerSettings(one, config)?.disabled ?? one.entry.disabled) === true
  return isDisabled ? trust.knows(part) && areSettingsTrusted : trust.holds(part, areSettingsTrusted)
}

export class UntrustedVariablesError extends Error {
  override name = 'UntrustedVariablesError'
}
