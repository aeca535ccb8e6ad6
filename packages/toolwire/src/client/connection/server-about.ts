// Reads the server's description of itself, which is untrusted text.
import { isObject, type JsonObject, textIn } from '../../json.js'
import { findingsKey } from '../../policy/sanitize/findings-key.js'
import type { SanitizeFinding } from '../../policy/sanitize/sanitize-rules.js'
import { metaKeys, metaOf } from '../../revisions/meta-keys.js'
import type { Revision } from '../../revisions/revision.js'
import { safeIcons } from '../../tools/checks/safe-icons.js'
import type { Icon } from '../../tools/content.js'
import type { ServerAbout } from '../client.js'

export function readServerAbout(revision: Revision, opening: JsonObject | undefined): ServerAbout {
  // Present in the answer to a handshake, or in the `_meta` of every result.
  const given = opening?.serverInfo ?? metaOf(opening)?.[metaKeys.serverInfo]
  const info: JsonObject = isObject(given) ? given : {}
  return {
    name: textIn(info.name),
    version: textIn(info.version),
    title: textIn(info.title),
    instructions: textIn(opening?.instructions),
    findings: (metaOf(opening)?.[findingsKey] ?? []) as unknown as readonly SanitizeFinding[], // written by this side alone
    icons: safeIcons(info.icons) as readonly Icon[],
    capabilities: isObject(opening?.capabilities) ? opening.capabilities : {},
    revision: revision.version,
  }
}
