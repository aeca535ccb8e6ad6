import type { Json, JsonObject } from 'toolwire'
import type { RemoteTool } from 'toolwire/client'
import { choicesOf, typesOf } from './arguments/fit.js'
import { hashOf } from './definition-hash.js'
import { isObject, objectIn, wordIn } from './json.js'
import type { Run } from './spec.js'
import { nameOf, placeOf } from './target/place.js'
import { reach } from './target/reach.js'
import { toolNamed } from './target/tool-named.js'
import { visible, visibleLine } from './terminal/hidden.js'
import { jsonText } from './terminal/json-text.js'
import type { Terminal } from './terminal/terminal.js'

export const run: Run = async (input, terminal) => {
  const [name = '', address] = input.operands
  const place = placeOf(address, input)
  await using client = await reach(place, { input, terminal })
  const tool = await toolNamed(client, name)
  const hash = hashOf(tool.definition)
  const { definition, claims, hints } = tool
  if (terminal.json) terminal.printJson({ name: tool.name, hash, claims, hints, definition })
  else show(tool, { hash, from: nameOf(place) }, terminal)
  return undefined
}

function show(tool: RemoteTool, { hash, from }: { hash: string; from: string }, { print, paint }: Terminal): void {
  const title = tool.displayName === tool.name ? '' : `  ${visibleLine(tool.displayName)}`
  print(`${paint.bold(visibleLine(tool.name))}${title}\nof ${visibleLine(from)}`)
  if (tool.description) print(`\n${visible(tool.description)}`)
  print(`\n${paint.bold('Arguments')}\n${fieldsOf(tool.inputSchema).join('\n') || '  none'}`)
  if (isObject(tool.outputSchema))
    print(`\n${paint.bold('Structured result')}\n${fieldsOf(tool.outputSchema).join('\n') || '  anything'}`)
  print(`\n${paint.bold('Claims')} (the server's words, unverified unless somebody trusts it)\n${claimsOf(tool)}`)
  if (tool._meta) print(`\n${paint.bold('_meta')}\n${jsonText(tool._meta)}`)
  print(`\n${paint.bold('Hash of the definition')}\n  ${hash}`)
}

const claimsOf = ({ claims }: RemoteTool): string =>
  Object.entries(claims)
    .map(([name, value]) => `  ${name}: ${value}`)
    .join('\n') || '  none'

const deepest = 4

/** A line for each member of an object, and for those within. */
function fieldsOf(schema: JsonObject, depth = 1): string[] {
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(objectIn(schema, 'properties')).flatMap(([name, property]) => {
    const field = isObject(property) ? property : {}
    const about = wordIn(field, 'description') ?? wordIn(field, 'title')
    const head = `${'  '.repeat(depth)}${visibleLine(name)}${required.includes(name) ? '' : '?'}: ${typeOf(field)}`
    const inner = depth < deepest ? fieldsOf(typesOf(field).includes('array') ? objectIn(field, 'items') : field, depth + 1) : []
    return [about === undefined ? head : `${head}  ${visibleLine(about)}`, ...inner]
  })
}

const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minLength', 'maxLength', 'minItems', 'maxItems']

function typeOf(schema: JsonObject): string {
  const choices = choicesOf(schema)
  const types = typesOf(schema).map((type) => (type === 'array' ? `list of ${typeOf(objectIn(schema, 'items'))}` : type))
  const kind = choices ? choices.map(words).join(' | ') : types.join(' or ') || 'anything'
  const also = [...bounds, 'format', 'pattern', 'default'].flatMap((key) =>
    schema[key] === undefined ? [] : [`${key} ${words(schema[key])}`],
  )
  return visibleLine(also.length === 0 ? kind : `${kind} (${also.join(', ')})`)
}

const words = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))
