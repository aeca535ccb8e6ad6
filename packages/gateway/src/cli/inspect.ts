import type { Json, JsonObject } from 'toolwire'
import type { RemoteTool } from 'toolwire/client'
import { definitionHash } from 'toolwire/guard'
import { isObject } from '../json/is-object.js'
import { choicesOf, typesOf } from './arguments/read-value.js'
import type { RunCommand } from './command.js'
import { objectIn, stringIn } from './json-members.js'
import { connectTarget, findTool } from './target/connect-target.js'
import { commandTargetOf, targetName } from './target/target.js'
import type { Terminal } from './terminal/terminal.js'
import { indentedText, visibleJson, visibleTextLine } from './terminal/visible-text.js'

export const run: RunCommand = async (input, terminal) => {
  const [name = '', address] = input.operands
  const place = commandTargetOf(address, input)
  await using client = await connectTarget(place, { input, terminal })
  const tool = await findTool(client, name)
  const hash = definitionHashOf(tool.definition)
  const { definition, claims, hints } = tool
  if (terminal.json) terminal.printJson({ name: tool.name, hash, claims, hints, definition })
  else show(tool, { hash, from: targetName(place) }, terminal)
}

function show(tool: RemoteTool, { hash, from }: { hash: string; from: string }, { print, paint }: Terminal): void {
  const title = tool.displayName === tool.name ? '' : `  ${visibleTextLine(tool.displayName)}`
  print(`${paint.bold(visibleTextLine(tool.name))}${title}\nof ${visibleTextLine(from)}`)
  if (tool.description) print(`\n  ${indentedText(tool.description, '  ')}`)
  print(`\n${paint.bold('Arguments')}\n${fieldsOf(tool.inputSchema).join('\n') || '  none'}`)
  if (isObject(tool.outputSchema))
    print(`\n${paint.bold('Structured result')}\n${fieldsOf(tool.outputSchema).join('\n') || '  anything'}`)
  print(`\n${paint.bold('Claims')} (by the server, unverified unless it is trusted)\n${claimsOf(tool)}`)
  if (tool._meta) print(`\n${paint.bold('_meta')}\n${visibleJson(tool._meta)}`)
  print(`\n${paint.bold('Hash of the definition')}\n  ${hash}`)
}

const claimsOf = ({ claims }: RemoteTool): string =>
  Object.entries(claims)
    .map(([name, value]) => `  ${name}: ${value}`)
    .join('\n') || '  none'

const deepest = 4

/** A line for each member of an object, and indented lines for nested members. */
function fieldsOf(schema: JsonObject, depth = 1): string[] {
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(objectIn(schema, 'properties')).flatMap(([name, property]) => {
    const field = isObject(property) ? property : {}
    const about = stringIn(field, 'description') ?? stringIn(field, 'title')
    const head = `${'  '.repeat(depth)}${visibleTextLine(name)}${required.includes(name) ? '' : '?'}: ${typeOf(field)}`
    const inner = depth < deepest ? fieldsOf(typesOf(field).includes('array') ? objectIn(field, 'items') : field, depth + 1) : []
    return [about === undefined ? head : `${head}  ${visibleTextLine(about)}`, ...inner]
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
  return visibleTextLine(also.length === 0 ? kind : `${kind} (${also.join(', ')})`)
}

const words = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The hash that identifies a definition in pins and audit records. */
function definitionHashOf(definition: JsonObject): string {
  // definitionHash reads only `listed`.
  return definitionHash({ listed: definition } as object as Parameters<typeof definitionHash>[0])
}
