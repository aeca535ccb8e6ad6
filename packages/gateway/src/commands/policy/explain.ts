import type { JsonObject } from 'toolwire'
import { aboutTool, type Explanation, explain, loadRules } from 'toolwire/rules'
import { readArguments } from '../arguments/read-arguments.js'
import { misused } from '../exit-codes.js'
import { type Input, isOn, type Run, textOf, textsOf } from '../spec.js'
import { visibleLine } from '../terminal/hidden.js'
import type { Paint } from '../terminal/paint.js'
import { namesFor } from './names.js'

export const run: Run = async (input, terminal) => {
  const [file = '', ...words] = input.operands
  const tool = textOf(input, 'tool')
  if (tool === undefined) throw misused('Say which tool is called: --tool <name>')
  // Whether its cases hold is for `policy test` to say.
  const { toolsFor, check } = await namesFor(file, input, terminal)
  const book = await loadRules(file, { cases: 'ignore', ...(check && { check }) })
  const server = textOf(input, 'server')
  const given = await readArguments(words, {}, { input: textOf(input, 'input'), cwd: input.cwd })
  const call = {
    tool,
    arguments: guessed(given, words),
    caller: callerOf(input),
    ...(server !== undefined && { server }),
    ...(textsOf(input, 'tag').length > 0 && { tags: [...textsOf(input, 'tag')] }),
    ...(textsOf(input, 'received').length > 0 && { received: [...textsOf(input, 'received')] }),
    ...(isOn(input, 'readOnly') && { hints: { readOnly: true } }),
  }
  const tools = toolsFor(call)
  if (typeof tools === 'string') throw misused(`This call cannot be explained: ${tools}`)
  const about = aboutTool(call, tools[0] ?? {})
  const explanation = explain(book, about)
  if (terminal.json) terminal.printJson({ call: about, ...explanation })
  else terminal.print(told(explanation, terminal.paint))
  return undefined
}

function callerOf(input: Input): { id: string; scopes: string[]; anonymous: boolean } {
  const id = textOf(input, 'caller')
  return { id: id ?? 'anonymous', scopes: [...textsOf(input, 'scope')], anonymous: id === undefined }
}

/** No schema says how to read them: what can only be meant as a number or a truth is one. */
function guessed(args: JsonObject, words: readonly string[]): JsonObject {
  const asText = new Set(words.filter((word) => /^[^=]*[^:=]=/.test(word)).map((word) => word.slice(0, word.indexOf('='))))
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, asText.has(name) && typeof value === 'string' ? guess(value) : value]),
  )
}

const guess = (text: string) => (/^(true|false|-?(0|[1-9]\d{0,14})(\.\d{1,9})?)$/.test(text) ? JSON.parse(text) : text)

function told({ decision, why, hidden, considered, terms }: Explanation, paint: Paint): string {
  const colour = { allow: paint.green, deny: paint.red, ask: paint.yellow }[decision]
  return [
    `${colour(decision)}: ${visibleLine(why)}`,
    ...(hidden ? ['The caller does not see the tool at all.'] : []),
    ...considered.map(
      (one) => `  ${one.outcome}: ${visibleLine(one.rule)} (${one.decision})${one.why ? `: ${visibleLine(one.why)}` : ''}`,
    ),
    ...terms.flatMap(({ name, limit, timeout }) => [
      ...(limit ? [`  limit of ${visibleLine(name)}: ${JSON.stringify(limit)}`] : []),
      ...(timeout ? [`  timeout of ${visibleLine(name)}: ${timeout} ms`] : []),
    ]),
  ].join('\n')
}
