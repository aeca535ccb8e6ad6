// Servers that a host starts itself bypass the gateway. This plans moving them from the host's file into the gateway's config.
import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from 'toolwire'
import { pointerSegments } from '../../config/documents/document.js'
import { ConfigText } from '../../config/editing/config-text.js'
import { ConfigError, type HostFile, type ImportedServer, importServers, serverIdOf } from '../../config/index.js'
import { readEntry } from '../../config/servers/read-entry.js'
import { writeEntry } from '../../config/servers/write-entry.js'
import { mergeServers } from './merge-servers.js'

export type ServerMove = Awaited<ReturnType<typeof planMove>>

export async function planMove(file: HostFile, path: string) {
  const found = await importServers([file], '')
  const config = await ConfigText.open(path)
  const there = new Map(config.servers.map((one) => [serverIdOf(one.name, one.at), writeEntry(readEntry(one))]))
  const left = found.problems.map(({ message }) => ({ name: file.host.title, why: message }))
  const host = await ConfigText.open(file.path)
  const servers = found.servers.filter((server) => {
    const why = whyNot(server, there.get(server.id), host)
    if (why !== undefined) left.push({ name: server.id, why })
    return why === undefined
  })
  for (const { id } of found.conflicts) left.push({ name: id, why: 'two of its servers get this name; rename one of them' })
  mergeServers(config, { ...found, servers })
  return { servers, left, config }
}

function whyNot({ id, entry, at }: ImportedServer, there: JsonObject | undefined, host: ConfigText): string | undefined {
  if (there && !isDeepStrictEqual(there, entry)) return `the gateway has another server ${id}; rename one of them`
  try {
    new ConfigText(host.path, host.before).remove(pointerSegments(at))
    return undefined
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown.message
    throw thrown
  }
}
