// Arguments that the definition of a tool fixes: its callers do not choose them.
import type { JsonObject } from '../json.js'
import { Refusal } from './refusal.js'
import type { ReadyTool, ToolCall } from './tool.js'

/** The arguments of a call. A value of the caller stands in the place of a fixed one, so that policies see it before it is refused. */
export const withFixed = ({ definition: { fixedArguments } }: ReadyTool, given: JsonObject): JsonObject =>
  fixedArguments ? { ...fixedArguments, ...given } : given

/** The refusal of a call whose caller has sent a fixed argument. */
export function refusalOfFixed({ tool, context }: Pick<ToolCall, 'tool' | 'context'>): Refusal | undefined {
  const { fixedArguments } = tool.definition
  if (!fixedArguments) return undefined
  const { receivedArguments = {} } = context
  const name = Object.keys(fixedArguments).find((fixed) => Object.hasOwn(receivedArguments, fixed))
  if (name === undefined) return undefined
  return new Refusal('invalid-arguments', `The argument ${JSON.stringify(name)} is set by the operator; leave it out`)
}

/** The arguments that the caller has chosen. */
export const withoutFixed = ({ definition: { fixedArguments = {} } }: ReadyTool, args: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(args).filter(([name]) => !Object.hasOwn(fixedArguments, name)))
