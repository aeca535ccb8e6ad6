// Arguments that a tool's schema refuses. Only tools that may be called with any arguments are tried, in case a server does not validate.
import type { Json, JsonObject } from 'toolwire'
import type { Attempt } from '../../attempt.js'
import { checksOf } from '../../check.js'
import { isObject, ownMember, textOf } from '../../json.js'
import { dialects, every, since } from '../../revisions.js'
import { isValid } from '../../sample-arguments.js'
import { errorCodeOf, type RequestOutcome, resultOf } from '../../session/session.js'
import { enforced, enforcedIf, missingBecause, notTried, type Verdict } from '../../verdict.js'
import { describeReceived, refusedWith } from '../refusals.js'

const none = 'No tool that may be called has such a parameter'

export const argumentChecks = checksOf({ needs: 'tools', level: 'MUST', revisions: every, page: 'server/tools' })({
  'arguments-missing': {
    sentence: 'A call without a required argument is refused.',
    how: 'Leaves out the first required argument of a tool',
    run: (attempt) => invalidArguments(attempt, withoutRequired),
  },
  'arguments-type': {
    sentence: 'An argument of the wrong type is refused, not converted.',
    how: 'Gives a nested list where a tool expects another type',
    run: (attempt) => invalidArguments(attempt, withWrongType),
  },
  'arguments-extra': {
    sentence: 'An argument that is not in a closed schema is refused.',
    how: 'Adds an argument where the schema has "additionalProperties": false',
    run: (attempt) => invalidArguments(attempt, withExtra),
  },
  'arguments-refusal': {
    level: 'SHOULD',
    // Earlier revisions name both an error and an error result for invalid arguments.
    revisions: since(dialects),
    sentence: 'Invalid arguments are refused with an error result, which the model can read.',
    how: 'Gives arguments that the schema of a tool refuses',
    run: async (attempt) => {
      const answered = await firstInvalidArguments(
        attempt,
        (tool, args) => withoutRequired(tool, args) ?? withWrongType(tool, args),
      )
      if (!answered) return notTried(none)
      if (resultOf(answered.response)?.isError === true) return enforced('Refused with an error result')
      if (!answered.response && answered.end === 'too late') return notTried('The call did not end in the time given')
      return missingBecause(`Expected a result with isError; ${describeReceived(answered)}`)
    },
  },
  'arguments-no-object': {
    level: 'SHOULD',
    sentence: 'Arguments that are not an object are refused with the error -32602.',
    how: 'Gives a list as the arguments of a tool',
    run: async (attempt) => {
      const [freelyCallable] = await attempt.freelyCallable()
      if (!freelyCallable) return notTried('No tool may be called with invalid arguments')
      const { name, inputSchema } = freelyCallable.tool
      return refusedWith(await attempt.ask('tools/call', { name: textOf(name), arguments: [] }, { schema: inputSchema }), -32602)
    },
  },
  'arguments-absent': {
    page: 'schema',
    sentence: 'A call without "arguments" is the same as a call with {}.',
    how: 'Calls a tool that requires no arguments, without "arguments" and with {}',
    run: async (attempt) => {
      const found = (await attempt.freelyCallable()).find(({ tool }) => isValid(tool.inputSchema ?? null, {}))
      if (!found) return notTried('Each tool that may be called requires arguments')
      const name = textOf(found.tool.name)
      const session = await attempt.session()
      const [without, empty] = [
        await session.ask('tools/call', { name }),
        await session.ask('tools/call', { name, arguments: {} }),
      ]
      if (!without.response || !empty.response) return notTried('One of the calls did not end in the time given')
      const same = Boolean(resultOf(without.response)) === Boolean(resultOf(empty.response))
      const fault = `Without: ${describeReceived(without)}; with {}: ${describeReceived(empty)}`
      return enforcedIf(same, 'Both calls had the same outcome', fault)
    },
  },
})

type InvalidArguments = (tool: JsonObject, args: JsonObject) => JsonObject | undefined

async function invalidArguments(attempt: Attempt, invalidate: InvalidArguments): Promise<Verdict> {
  const answered = await firstInvalidArguments(attempt, invalidate)
  if (!answered) return notTried(none)
  const { response, end } = answered
  if (!response && end === 'too late') return notTried('The call did not end in the time given')
  if (response && 'error' in response) return enforced(`Refused with ${textOf(errorCodeOf(response))}`)
  const result = resultOf(response)
  if (!result) return missingBecause(describeReceived(answered))
  if (result.resultType === 'input_required') return notTried('The server asks a question first')
  return enforcedIf(result.isError === true, 'Refused with an error result', 'The call was carried out')
}

/** Calls the first tool for which such invalid arguments exist. */
async function firstInvalidArguments(attempt: Attempt, invalidate: InvalidArguments): Promise<RequestOutcome | undefined> {
  for (const { tool, args } of await attempt.freelyCallable()) {
    const wrong = invalidate(tool, args)
    if (!wrong || isValid(tool.inputSchema ?? null, wrong)) continue
    const params = { name: textOf(tool.name), arguments: wrong }
    return attempt.ask('tools/call', params, { schema: tool.inputSchema })
  }
  return undefined
}

function withoutRequired({ inputSchema }: JsonObject, args: JsonObject): JsonObject | undefined {
  const required = isObject(inputSchema) && Array.isArray(inputSchema.required) ? inputSchema.required : []
  // Servers often fill in a default even where the schema requires the property.
  const name = required.find((one) => typeof one === 'string' && !hasDefault(inputSchema, one))
  if (typeof name !== 'string' || !Object.hasOwn(args, name)) return undefined
  const { [name]: _, ...rest } = args
  return rest
}

function hasDefault(schema: Json | undefined, name: string): boolean {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {}
  const property = ownMember(properties, name)
  return isObject(property) && 'default' in property
}

/** A value that fits hardly any tool's schema. */
const unexpectedValue: Json = [[null]]

function withWrongType({ inputSchema }: JsonObject, args: JsonObject): JsonObject | undefined {
  const properties = isObject(inputSchema) && isObject(inputSchema.properties) ? inputSchema.properties : {}
  return Object.keys(properties)
    .map((name) => ({ ...args, [name]: unexpectedValue }))
    .find((wrong) => !isValid(inputSchema ?? null, wrong))
}

function withExtra({ inputSchema }: JsonObject, args: JsonObject): JsonObject | undefined {
  return isObject(inputSchema) && inputSchema.additionalProperties === false ? { ...args, 'nobody-has-this': 1 } : undefined
}
