import { checkLimit } from './checks/check-limit.js'
import { checkSchema } from './checks/check-schema.js'
import { definitionError } from './checks/definition-error.js'
import { adviseAll, checkOptions, type OptionHints, optionsOf } from './checks/known-options.js'
import { listOf, oneOf, someObject, someText, someTexts, timeoutMs, trueOrFalse } from './checks/option-values.js'
import type { AnyOutput, StandardSchema } from './standard-schema.js'
import type { AnyToolDefinition, AskDefinitions, Hints, NoInput, Tool, ToolDefinition } from './tool.js'

/**
 * Defines a tool.
 *
 * @example
 * ```ts
 * const add = tool({ description: 'Adds two numbers', input: z.object({ a: z.number(), b: z.number() }), run: ({ a, b }) => String(a + b) })
 * ```
 */
export function tool<
  I extends StandardSchema = NoInput,
  O extends StandardSchema<AnyOutput> | undefined = undefined,
  A extends AskDefinitions<never> = Record<never, never>,
>(definition: ToolDefinition<I, O, A>): Tool<I, O> {
  if (typeof definition === 'string') throw definitionError(`A tool has no name of its own. ${nameAsKey}`)
  checkOptions('A tool', definition, options, insteadOf)
  if (typeof definition?.run !== 'function')
    throw definitionError('A tool needs `run`, the function that does the work: tool({ run: (input) => … })')
  checkHints(definition.hints)
  if (definition.input !== undefined) checkSchema(definition.input, '`input`')
  if (definition.output !== undefined) checkSchema(definition.output, '`output`')
  if (definition.limit) checkLimit(definition.limit)
  // The static types serve the author and the typed client; at run time, schemas check the values.
  const forgotten = definition as unknown as AnyToolDefinition
  return Object.freeze({ '~tool': undefined as never, definition: Object.freeze({ ...forgotten }) })
}

const nameAsKey = 'Write tool({ … }), and give its name as a key: server({ tools: { name: tool({ … }) } })'
const options = optionsOf<ToolDefinition<never, never, never>>()(
  { 'title description': someText, 'scopes tags': someTexts, timeout: timeoutMs, longRunning: oneOf('optional', 'required') },
  { icons: listOf(someObject), 'hints _meta limit asks': someObject },
  'input output run',
)

const input = 'Write `input`, a schema: input: z.object({ … }) or jsonSchema({ … }).'
const output = 'Write `output`, a schema: output: z.object({ … }) or jsonSchema({ … }).'
const run = 'Write `run`, the function that does the work: run: (input, ctx) => ….'
const hintNames = 'readOnly destructive idempotent openWorld'
const hintKeys = 'readOnlyHint destructiveHint idempotentHint openWorldHint'
const bare = (key: string) => key.replace(/Hint$/, '')
const insteadOf: OptionHints = {
  ...adviseAll('inputSchema parameters params paramsSchema args argsSchema arguments schema', input),
  ...adviseAll('outputSchema returns', output),
  ...adviseAll('handler execute callback cb call fn func function invoke', run),
  annotations: 'Write `hints`: hints: { readOnly: true }.',
  name: 'Leave it out: a tool is named by its key in server({ tools: { name: tool({ … }) } }).',
  ...adviseAll(`${hintNames} ${hintKeys}`, (name) => `Write it in \`hints\`: hints: { ${bare(name)}: true }.`),
  meta: 'Write `_meta`.',
  timeoutMs: 'Write `timeout`, in milliseconds.',
  rateLimit: "Write `limit`: limit: { calls: 5, per: 'hour' }.",
  ...adviseAll('execution taskSupport', "Write `longRunning`: longRunning: 'optional'."),
}

const knownHints = optionsOf<Hints>()({ [hintNames]: trueOrFalse })
const insteadOfHints: OptionHints = {
  ...adviseAll(hintKeys, (name) => `Write \`${bare(name)}\`.`),
  title: 'Write it beside them: tool({ title: …, hints: { … } }).',
}

/** Throws for an unknown hint, because a misspelt one would silently leave the worst case in force. */
export function checkHints(hints: Hints | undefined): void {
  checkOptions('`hints`', hints, knownHints, insteadOfHints)
}
