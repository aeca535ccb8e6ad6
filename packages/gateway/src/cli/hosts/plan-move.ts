// The servers that a host starts itself go past the gateway. Here they move behind it: from the host's file into the gateway's config.
import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from 'toolwire'
import { inFile, parseDocument } from '../../config/documents/read-document.js'
import { readContent } from '../../config/editing/replace-file.js'
import { withoutEntry } from '../../config/hosts/connect-host.js'
import { ConfigError, type HostFile, type ImportedServer, importServers, serverIdOf } from '../../config/index.js'
import { findServers } from '../../config/servers/find-servers.js'
import { readEntry } from '../../config/servers/read-entry.js'
import { writeEntry } from '../../config/servers/write-entry.js'
import { mergeServers } from './merge-servers.js'

/** What moving the servers of a host comes to; nothing is written yet. */
export type ServerMove = {
  readonly servers: readonly ImportedServer[]
  /** Servers that the host keeps, and why. */
  readonly left: readonly { readonly name: string; readonly why: string }[]
  /** The gateway's config, before and after. */
  readonly before: string | undefined
  readonly text: string
}

export async function planMove(file: HostFile, config: string): Promise<ServerMove> {
  const found = await importServers([file], '')
  const before = await readContent(config)
  const there = inFile(config, () => serversIn(config, before ?? ''))
  const host = (await readContent(file.path)) ?? ''
  const left: ServerMove['left'][number][] = found.problems.map(({ message }) => ({ name: file.host.title, why: message }))
  const servers = found.servers.filter((server) => {
    const why = whyNot(server, there.get(server.id), host)
    if (why !== undefined) left.push({ name: server.id, why })
    return why === undefined
  })
  for (const { id } of found.conflicts) left.push({ name: id, why: 'two of its servers get this name; rename one of them' })
  return { servers, left, before, text: mergeServers(before, { ...found, servers }, config).text }
}

function serversIn(config: string, text: string): Map<string, JsonObject> {
  const value = text.trim() === '' ? {} : parseDocument(config, text)().value
  return new Map(findServers(value).map((one) => [serverIdOf(one.name, one.at), writeEntry(readEntry(one))]))
}

function whyNot({ id, entry, at, from }: ImportedServer, there: JsonObject | undefined, host: string): string | undefined {
  if (there && !isDeepStrictEqual(there, entry)) return `the gateway has another server ${id}; rename one of them`
  try {
    withoutEntry(host.replace(/^\ufeff/, ''), from.host, at)
    return undefined
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown.message
    throw thrown
  }
}
