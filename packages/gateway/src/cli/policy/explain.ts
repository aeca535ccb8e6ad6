import { resolve } from 'node:path'
import type { Json, JsonObject } from 'toolwire'
import { ruleParts } from 'toolwire/relay'
import { type Explanation, explain, loadRules } from 'toolwire/rules'
import { readArguments } from '../arguments/read-arguments.js'
import { type CommandInput, isOptionOn, optionText, optionTexts, type RunCommand, usageProblem } from '../command.js'
import type { Paint } from '../terminal/terminal.js'
import { visibleTextLine } from '../terminal/visible-text.js'
import { knownNamesFor } from './known-names.js'

export const run: RunCommand = async (input, terminal) => {
  const [file = '', ...words] = input.operands
  const tool = optionText(input, 'tool')
  if (tool === undefined) throw usageProblem('No tool is named. Add --tool <name>')
  // `policy test` runs the cases.
  const { toolsFor, check } = await knownNamesFor(file, input, terminal)
  const book = await loadRules(resolve(input.cwd, file), { cases: 'ignore', ...(check && { check }) })
  const server = optionText(input, 'server')
  const given = await readArguments(words, {}, { input: optionText(input, 'input'), cwd: input.cwd })
  const call = {
    tool,
    arguments: withGuessedTypes(given, words),
    caller: callerOf(input),
    ...(server !== undefined && { server }),
    ...(optionTexts(input, 'tag').length > 0 && { tags: [...optionTexts(input, 'tag')] }),
    ...(optionTexts(input, 'received').length > 0 && { received: [...optionTexts(input, 'received')] }),
    ...(isOptionOn(input, 'readOnly') && { hints: { readOnly: true } }),
  }
  const tools = toolsFor(call)
  if (typeof tools === 'string') throw usageProblem(`This call cannot be explained: ${tools}`)
  const about = ruleParts.callToTool(call, tools[0] ?? {})
  const explanation = explain(book, about)
  if (terminal.json) terminal.printJson({ call: about, ...explanation })
  else terminal.print(explanationText(explanation, terminal.paint))
}

function callerOf(input: CommandInput): { id: string; scopes: string[]; anonymous: boolean } {
  const id = optionText(input, 'caller')
  return { id: id ?? 'anonymous', scopes: [...optionTexts(input, 'scope')], anonymous: id === undefined }
}

/** Without a schema, an unquoted text that reads as a number or a boolean becomes one. */
function withGuessedTypes(args: JsonObject, words: readonly string[]): JsonObject {
  const asText = new Set(words.filter((word) => /^[^=]*[^:=]=/.test(word)).map((word) => word.slice(0, word.indexOf('='))))
  const read = (name: string, value: Json | undefined) => (asText.has(name) && typeof value === 'string' ? guess(value) : value)
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, read(name, value)]))
}

const guess = (text: string) => (/^(true|false|-?(0|[1-9]\d{0,14})(\.\d{1,9})?)$/.test(text) ? JSON.parse(text) : text)

function explanationText({ decision, why, hidden, considered, terms }: Explanation, paint: Paint): string {
  const colour = { allow: paint.green, deny: paint.red, ask: paint.yellow }[decision]
  return [
    `${colour(decision)}: ${visibleTextLine(why)}`,
    ...(hidden ? ['The tool is hidden from the caller.'] : []),
    ...considered.map(
      (one) =>
        `  ${one.outcome}: ${visibleTextLine(one.rule)} (${one.decision})${one.why ? `: ${visibleTextLine(one.why)}` : ''}`,
    ),
    ...terms.flatMap(({ name, limit, timeout }) => [
      ...(limit ? [`  limit of ${visibleTextLine(name)}: ${JSON.stringify(limit)}`] : []),
      ...(timeout ? [`  timeout of ${visibleTextLine(name)}: ${timeout} ms`] : []),
    ]),
  ].join('\n')
}
