// Detects misspelled keys. Ignored, they would silently leave out servers, settings or restrictions.
import type { Json, JsonObject } from 'toolwire'
import { plainText } from 'toolwire/relay'

import { isObject } from '../../json/is-object.js'
import { ConfigError, type ConfigProblem } from '../config-error.js'
import { jsonPointer } from '../documents/document.js'

/** No other program uses a word that is almost one of these. */
const ownKeys = ['mcpServers', 'context_servers', 'mcp_servers', 'amp.mcpServers', 'toolwire']
/** Other programs use similar words for other things, so a near match counts only if its value looks like servers. */
const sharedKeys = ['servers', 'mcp']
const withinMcp = ['servers', 'mcpServers']
const most = 2

/** Refuses a top-level key that is almost the name of a key for servers or settings. */
export function checkTopLevelKeys(config: JsonObject): void {
  const { mcp } = config
  const inner = isObject(mcp) ? problemsIn(mcp, { ours: [], common: withinMcp, at: jsonPointer('mcp') }) : []
  const problems = [...problemsIn(config, { ours: ownKeys, common: sharedKeys, at: '' }), ...inner]
  if (problems.length > 0) throw new ConfigError(problems)
}

type Words = { readonly ours: readonly string[]; readonly common: readonly string[]; readonly at: string }

function problemsIn(object: JsonObject, { ours, common, at }: Words): readonly ConfigProblem[] {
  const known = new Set([...ours, ...common])
  return Object.entries(object).flatMap(([key, value]) => {
    if (known.has(key) || !isObject(value)) return []
    const meant = plainText.nearest(key, ours, most) ?? (holdsServers(value) ? plainText.nearest(key, common, most) : undefined)
    if (meant === undefined || Object.hasOwn(object, meant)) return []
    return [{ at: at + jsonPointer(key), message: `this name is not known; did you mean ${JSON.stringify(meant)}?` }]
  })
}

const holdsServers = (value: JsonObject): boolean => Object.values(value).some((one) => isObject(one) && isServer(one))

const isServer = (one: JsonObject): boolean => ['command', 'url', 'httpUrl', 'serverUrl'].some((key) => isGiven(one[key]))

const isGiven = (value: Json | undefined): boolean => typeof value === 'string' || Array.isArray(value) || isObject(value)
