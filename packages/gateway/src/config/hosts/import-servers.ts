import { isDeepStrictEqual } from 'node:util'
import type { Json, JsonObject } from 'toolwire'
import { type ConfigError, ifConfigError } from '../config-error.js'
import { withFileName } from '../documents/read-document.js'
import { ownCommand } from '../own-address.js'
import type { ServerEntry } from '../servers/read-entry.js'
import { serverIdOf } from '../servers/server-id.js'
import { writeEntry } from '../servers/write-entry.js'
import type { HostFile } from './host.js'
import { readHost } from './read-host.js'

/** A server in the form of an mcp.json, and the file it comes from. */
export type ImportedServer = {
  readonly id: string
  readonly entry: JsonObject
  readonly from: HostFile
  /** JSON pointer to the server in that file. */
  readonly at: string
}

export type ImportResult = {
  readonly servers: readonly ImportedServer[]
  /** Names that two different servers have: the first server was taken. */
  readonly conflicts: readonly { readonly id: string; readonly taken: HostFile; readonly left: HostFile }[]
  /** Prompts of VS Code for its user; they belong under `inputs`. */
  readonly inputs: readonly Json[]
  readonly problems: readonly ConfigError[]
}

/** Reads and merges the servers of all existing files. The first server of a name wins; the others are reported as conflicts. */
export async function importServers(files: readonly HostFile[], cwd: string): Promise<ImportResult> {
  const servers = new Map<string, ImportedServer>()
  const conflicts: ImportResult['conflicts'][number][] = []
  const inputs: Json[] = []
  const problems: ConfigError[] = []
  for (const from of files.filter(({ found }) => found)) {
    const note = ifConfigError((error) => void problems.push(error))
    const read = (await readHost(from, cwd).catch(note)) ?? { entries: [], inputs: [], problems: [] }
    inputs.push(...read.inputs.filter((input) => !inputs.some((other) => isDeepStrictEqual(input, other))))
    problems.push(...read.problems)
    for (const entry of read.entries) {
      const named = async () => withFileName(from.path, () => serverIdOf(entry.name, entry.at))
      const id = isOurs(entry) ? undefined : await named().catch(note)
      if (id === undefined) continue
      const server = { id, entry: writeEntry(entry), from, at: entry.at }
      const taken = servers.get(id)
      if (!taken) servers.set(id, server)
      else if (!isDeepStrictEqual(taken.entry, server.entry)) conflicts.push({ id, taken: taken.from, left: from })
    }
  }
  return { servers: [...servers.values()], conflicts, inputs, problems }
}

/** Is this the gateway itself, written by an earlier `connect`? */
const isOurs = ({ name, command, args }: ServerEntry): boolean =>
  name === 'toolwire' || (command !== undefined && ownCommand(command, args) !== undefined)
