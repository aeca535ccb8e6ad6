import { resolve } from 'node:path'
import type { Json, JsonObject } from 'toolwire'
import { ruleParts } from 'toolwire/relay'
import { type Explanation, explain, loadRules, type WrittenCall } from 'toolwire/rules'
import { apiClientOf } from '../api/api-client.js'
import { readArguments } from '../arguments/read-arguments.js'
import {
  type CommandContext,
  type CommandInput,
  isOptionOn,
  optionText,
  optionTexts,
  type RunCommand,
  usageProblem,
} from '../command.js'
import type { Paint } from '../terminal/terminal.js'
import { visibleTextLine } from '../terminal/visible-text.js'
import { knownNamesFor } from './known-names.js'
import { rulesTextOf } from './test.js'

export const run: RunCommand = async (input, terminal) => {
  const [file = '', ...words] = input.operands
  const tool = optionText(input, 'tool')
  if (tool === undefined) throw usageProblem('No tool is named. Add --tool <name>')
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
  const isAtGateway = input.options.gateway !== undefined
  const assumed = assumedFacts(call, { isAtGateway, isAnonymous: call.caller.anonymous })
  const { about, explanation } = await (isAtGateway ? explainAtGateway : explainHere)(file, call, { input, terminal })
  if (terminal.json) terminal.printJson({ call: about, ...explanation, assumed: assumed.map(({ fact }) => fact) })
  else
    terminal.print(
      [explanationText(explanation, terminal.paint), ...assumed.map(({ words }) => `  assumed: ${words}`)].join('\n'),
    )
}

type Explained = { readonly about: WrittenCall; readonly explanation: Explanation }

async function explainHere(file: string, call: WrittenCall, { input, terminal }: CommandContext): Promise<Explained> {
  const { toolsFor, check } = await knownNamesFor(file, input, terminal)
  // `policy test` runs the cases.
  const book = await loadRules(resolve(input.cwd, file), { cases: 'ignore', ...(check && { check }) })
  const tools = toolsFor(call)
  if (typeof tools === 'string') throw usageProblem(`This call cannot be explained: ${tools}`)
  const about = ruleParts.callToTool(call, tools[0] ?? {})
  // The arguments that the config pins may be secrets.
  return { about: { ...about, arguments: call.arguments ?? {} }, explanation: explain(book, about) }
}

/** Explains with the names and hints of the gateway's tools. */
async function explainAtGateway(file: string, call: WrittenCall, { input }: CommandContext): Promise<Explained> {
  // Problems are reported with their lines.
  await loadRules(resolve(input.cwd, file), { cases: 'ignore' })
  const body = { ...call, text: await rulesTextOf(file, input) } as object as JsonObject // a written call is JSON
  const explanation = await apiClientOf(input).request('/policy/explain', { method: 'POST', body })
  return { about: call, explanation: explanation as object as Explanation } // the schema of the reply
}

/** Facts that were not given. Without a gateway, nothing is known about a tool but its name. */
function assumedFacts({ hints }: WrittenCall, { isAtGateway, isAnonymous }: { isAtGateway: boolean; isAnonymous: boolean }) {
  return [
    ...(hints || isAtGateway ? [] : [{ fact: 'hints', words: unknownHints }]),
    ...(isAnonymous ? [{ fact: 'caller', words: 'an anonymous caller. Name another with --caller' }] : []),
  ]
}

const unknownHints =
  'the hints of the tool are unknown, so it may change something. Use --gateway for those of a running gateway, or --read-only'

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
