// The servers that a host starts itself go past the gateway. Here they move behind it: from the host's file into the gateway's config.
import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from 'toolwire'
import { parseDocument, within } from '../../config/documents/read-document.js'
import { withoutEntry } from '../../config/hosts/connect-host.js'
import { contentOf } from '../../config/hosts/replace-file.js'
import { ConfigError, type HostFile, type ImportedServer, idOf, importFrom } from '../../config/index.js'
import { findServers } from '../../config/servers/find-servers.js'
import { readEntry } from '../../config/servers/read-entry.js'
import { writeEntry } from '../../config/servers/write-entry.js'
import { merged } from './merged.js'

/** What moving the servers of a host comes to; nothing is written yet. */
export type Move = {
  readonly servers: readonly ImportedServer[]
  /** Servers that the host keeps, and why. */
  readonly left: readonly { readonly name: string; readonly why: string }[]
  /** The gateway's config, before and after. */
  readonly before: string | undefined
  readonly text: string
}

export async function planMove(file: HostFile, config: string): Promise<Move> {
  const found = await importFrom([file], '')
  const before = await contentOf(config)
  const there = within(config, () => serversIn(config, before ?? ''))
  const host = (await contentOf(file.path)) ?? ''
  const left: Move['left'][number][] = found.problems.map(({ message }) => ({ name: file.host.title, why: message }))
  const servers = found.servers.filter((server) => {
    const why = whyNot(server, there.get(server.id), host)
    if (why !== undefined) left.push({ name: server.id, why })
    return why === undefined
  })
  for (const { id } of found.conflicts) left.push({ name: id, why: 'two of its servers come to this name; rename one of them' })
  return { servers, left, before, text: merged(before, { ...found, servers }, config).text }
}

function serversIn(config: string, text: string): Map<string, JsonObject> {
  const value = text.trim() === '' ? {} : parseDocument(config, text)().value
  return new Map(findServers(value).map((one) => [idOf(one.name, one.at), writeEntry(readEntry(one))]))
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
