import type { Json, JsonObject } from 'toolwire'
import { isObject } from '../json/is-object.js'
import { ownMember } from '../json/own-member.js'
import { findServers } from './servers/find-servers.js'
import { serverIdOf } from './servers/server-id.js'

/** A config as written, before variables and options are applied; the same on every machine. */
export type WrittenConfig = {
  readonly settings: JsonObject
  /** Each server with its settings, by id. */
  readonly servers: { readonly [id: string]: Json }
}

export function writtenConfig(config: JsonObject): WrittenConfig {
  const { servers, ...settings } = isObject(config.toolwire) ? config.toolwire : {}
  const about = isObject(servers) ? servers : {}
  const written = findServers(config).map(({ name, at, value }) => {
    const id = serverIdOf(name, at)
    return [id, [value, ownMember(about, id) ?? ownMember(about, name) ?? null]]
  })
  return { settings, servers: Object.fromEntries(written) }
}
