// Arguments that a tool's schema refuses. Only tools that may be called with anything are tried, in case nobody looks.
import type { Json, JsonObject } from 'toolwire'
import { dialects, every, since } from '../editions.js'
import { isObject } from '../json.js'
import type { Row } from '../row.js'
import { fits } from '../sample-arguments.js'
import { type Answered, codeOf, resultOf } from '../talk.js'
import type { Trial } from '../trial.js'
import { enforced, missing, notTried, type Verdict } from '../verdict.js'
import { outcomeOf, refusedWith } from './refused.js'

const page = 'server/tools'
const none = 'No tool that may be called has such a parameter'

export const argumentRows: readonly Row[] = [
  {
    id: 'arguments-missing',
    level: 'MUST',
    editions: every,
    page,
    sentence: 'A call without a required argument is refused.',
    how: 'Leaves out the first required argument of a tool',
    run: (trial) => bent(trial, withoutRequired),
  },
  {
    id: 'arguments-type',
    level: 'MUST',
    editions: every,
    page,
    sentence: 'An argument of the wrong type is refused, and not made to fit.',
    how: 'Gives a list of a list where a tool wants something else',
    run: (trial) => bent(trial, withWrongType),
  },
  {
    id: 'arguments-extra',
    level: 'MUST',
    editions: every,
    page,
    sentence: 'An argument that a closed schema does not have is refused.',
    how: 'Adds an argument to those of a tool whose schema is closed',
    run: (trial) => bent(trial, withExtra),
  },
  {
    id: 'arguments-refusal',
    level: 'SHOULD',
    // Before, the page names both ways for the same thing.
    editions: since(dialects),
    page,
    sentence: 'Arguments are refused by a result that says so, which the model can read.',
    how: 'Gives arguments that the schema of a tool refuses',
    run: async (trial) => {
      const answered = await firstBent(trial, (tool, args) => withoutRequired(tool, args) ?? withWrongType(tool, args))
      if (!answered) return notTried(none)
      if (resultOf(answered.response)?.isError === true) return enforced('A result that says so')
      if (!answered.response && answered.end === 'too late') return notTried('The call did not end in the time given')
      return missing(`Wanted a result with isError; ${outcomeOf(answered)}`)
    },
  },
  {
    id: 'arguments-no-object',
    level: 'SHOULD',
    editions: every,
    page,
    sentence: 'Arguments that are no object are an error, -32602.',
    how: 'Gives a list as the arguments of a tool',
    run: async (trial) => {
      const [bendable] = await trial.bendable()
      if (!bendable) return notTried('No tool may be called with arguments of any kind')
      const { name, inputSchema } = bendable.tool
      return refusedWith(
        await (await trial.talk()).ask('tools/call', { name: String(name), arguments: [] }, { schema: inputSchema }),
        -32602,
      )
    },
  },
  {
    id: 'arguments-absent',
    level: 'MUST',
    editions: every,
    page: 'schema',
    sentence: 'No arguments are the same as none of them: {}.',
    how: 'Calls a tool that needs none without "arguments"',
    run: async (trial) => {
      const found = (await trial.bendable()).find(({ tool }) => fits(tool.inputSchema ?? null, {}))
      if (!found) return notTried('No tool that may be called takes none')
      const name = String(found.tool.name)
      const talk = await trial.talk()
      const [without, empty] = [await talk.ask('tools/call', { name }), await talk.ask('tools/call', { name, arguments: {} })]
      if (!without.response || !empty.response) return notTried('One of the calls did not end in the time given')
      const same = Boolean(resultOf(without.response)) === Boolean(resultOf(empty.response))
      return same ? enforced('Both came to the same') : missing(`Without: ${outcomeOf(without)}; with {}: ${outcomeOf(empty)}`)
    },
  },
]

type Bend = (tool: JsonObject, args: JsonObject) => JsonObject | undefined

async function bent(trial: Trial, bend: Bend): Promise<Verdict> {
  const answered = await firstBent(trial, bend)
  if (!answered) return notTried(none)
  const { response, end } = answered
  if (!response && end === 'too late') return notTried('The call did not end in the time given')
  if (response && 'error' in response) return enforced(`Refused with ${String(codeOf(response))}`)
  const result = resultOf(response)
  if (!result) return missing(outcomeOf(answered))
  if (result.resultType === 'input_required') return notTried('The server asks for more first')
  return result.isError === true ? enforced('Refused in the result') : missing('It was carried out')
}

/** Calls the first tool for which there are such arguments. */
async function firstBent(trial: Trial, bend: Bend): Promise<Answered | undefined> {
  for (const { tool, args } of await trial.bendable()) {
    const wrong = bend(tool, args)
    if (!wrong || fits(tool.inputSchema ?? null, wrong)) continue
    const params = { name: String(tool.name), arguments: wrong }
    return (await trial.talk()).ask('tools/call', params, { schema: tool.inputSchema })
  }
  return undefined
}

function withoutRequired({ inputSchema }: JsonObject, args: JsonObject): JsonObject | undefined {
  const required = isObject(inputSchema) && Array.isArray(inputSchema.required) ? inputSchema.required : []
  // One with a default is often filled in by the server, whatever the schema says.
  const name = required.find((one) => typeof one === 'string' && !hasDefault(inputSchema, one))
  if (typeof name !== 'string' || !(name in args)) return undefined
  const { [name]: _, ...rest } = args
  return rest
}

function hasDefault(schema: Json | undefined, name: string): boolean {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {}
  const property = properties[name]
  return isObject(property) && 'default' in property
}

/** Fits nothing that a tool is likely to want. */
const odd: Json = [[null]]

function withWrongType({ inputSchema }: JsonObject, args: JsonObject): JsonObject | undefined {
  const properties = isObject(inputSchema) && isObject(inputSchema.properties) ? inputSchema.properties : {}
  return Object.keys(properties)
    .map((name) => ({ ...args, [name]: odd }))
    .find((wrong) => !fits(inputSchema ?? null, wrong))
}

function withExtra({ inputSchema }: JsonObject, args: JsonObject): JsonObject | undefined {
  return isObject(inputSchema) && inputSchema.additionalProperties === false ? { ...args, 'nobody-has-this': 1 } : undefined
}
