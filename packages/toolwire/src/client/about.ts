// What a server has said about itself, read with care: it is a stranger's text.
import { isObject, type Json, type JsonObject } from '../json.js'
import { findingsKey } from '../policy/sanitize/findings-key.js'
import type { SanitizeFinding } from '../policy/sanitize/rules.js'
import { meta, metaOf } from '../revisions/meta.js'
import type { Revision } from '../revisions/revision.js'
import type { Icon } from '../tools/content.js'
import type { ServerAbout } from './client.js'
import { iconsOf } from './icons.js'

export function aboutServer(revision: Revision, opening: JsonObject | undefined): ServerAbout {
  const info = infoIn(opening)
  return {
    name: textOf(info.name),
    version: textOf(info.version),
    title: textOf(info.title),
    instructions: textOf(opening?.instructions),
    findings: (metaOf(opening)?.[findingsKey] ?? []) as unknown as readonly SanitizeFinding[], // written by this side alone
    icons: iconsOf(info.icons) as readonly Icon[],
    capabilities: isObject(opening?.capabilities) ? opening.capabilities : {},
    revision: revision.version,
  }
}

/** In the answer to a handshake, or on every result. */
function infoIn(opening: JsonObject | undefined): JsonObject {
  const info = opening?.serverInfo ?? metaOf(opening)?.[meta.serverInfo]
  return isObject(info) ? info : {}
}

export const textOf = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined)
