import { isDeepStrictEqual } from 'node:util'
import type { Json, JsonObject } from 'toolwire'
import { type ConfigError, ifConfigError } from '../config-error.js'
import { inFile } from '../documents/read-document.js'
import { ownCommand } from '../own-address.js'
import type { ServerEntry } from '../servers/read-entry.js'
import { serverIdOf } from '../servers/server-id.js'
import { writeEntry } from '../servers/write-entry.js'
import type { HostFile } from './host.js'
import { readHost } from './read-host.js'

/** A server as it is written in an mcp.json, and the file it was found in. */
export type ImportedServer = {
  readonly id: string
  readonly entry: JsonObject
  readonly from: HostFile
  /** JSON pointer to where it stands there. */
  readonly at: string
}

/** What was found in the files of hosts. */
export type ImportResult = {
  readonly servers: readonly ImportedServer[]
  /** The one name for two servers: the first was taken. */
  readonly conflicts: readonly { readonly id: string; readonly taken: HostFile; readonly left: HostFile }[]
  /** What VS Code would ask its user; belongs under `inputs`. */
  readonly inputs: readonly Json[]
  /** Files that cannot be read, and servers in them that cannot be used. */
  readonly problems: readonly ConfigError[]
}

/** Reads the servers of all files that are there, and merges them: what comes first wins, and what is lost is told. */
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
      const named = async () => inFile(from.path, () => serverIdOf(entry.name, entry.at))
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

/** The gateway itself, which an earlier `connect` has written there. */
const isOurs = ({ name, command, args }: ServerEntry): boolean =>
  name === 'toolwire' || (command !== undefined && ownCommand(command, args) !== undefined)
