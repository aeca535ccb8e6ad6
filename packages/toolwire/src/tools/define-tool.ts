import { checkLimit } from './checks/check-limit.js'
import { checkSchema } from './checks/check-schema.js'
import { definitionError } from './checks/definition-error.js'
import { checkOptions, type KnownOptions, type OptionHints } from './checks/known-options.js'
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
  if (typeof definition === 'string')
    throw definitionError(
      'A tool has no name of its own. Write tool({ … }), and give its name as a key: server({ tools: { name: tool({ … }) } })',
    )
  checkOptions('A tool', definition, options, insteadOf)
  if (typeof definition?.run !== 'function')
    throw definitionError('A tool needs `run`, the function that does the work: tool({ run: (input) => … })')
  checkHints(definition.hints)
  if (definition.input !== undefined) checkSchema(definition.input, '`input`')
  if (definition.output !== undefined) checkSchema(definition.output, '`output`')
  checkTimeout(definition.timeout)
  if (definition.limit) checkLimit(definition.limit)
  // The types matter to the author and to the typed client; at run time schemas check the values.
  const forgotten = definition as unknown as AnyToolDefinition
  return Object.freeze({ '~tool': undefined as never, definition: Object.freeze({ ...forgotten }) })
}

const options: KnownOptions<ToolDefinition<never, never, never>> = {
  title: true,
  description: true,
  icons: true,
  hints: true,
  _meta: true,
  input: true,
  output: true,
  scopes: true,
  limit: true,
  timeout: true,
  tags: true,
  longRunning: true,
  asks: true,
  run: true,
}

const input = 'Write `input`, a schema: input: z.object({ … }) or jsonSchema({ … }).'
const output = 'Write `output`, a schema: output: z.object({ … }) or jsonSchema({ … }).'
const run = 'Write `run`, the function that does the work: run: (input, ctx) => ….'
const insteadOf: OptionHints = {
  inputSchema: input,
  parameters: input,
  params: input,
  paramsSchema: input,
  args: input,
  argsSchema: input,
  arguments: input,
  schema: input,
  outputSchema: output,
  returns: output,
  handler: run,
  execute: run,
  callback: run,
  cb: run,
  call: run,
  fn: run,
  func: run,
  function: run,
  invoke: run,
  annotations: 'Write `hints`: hints: { readOnly: true }.',
  name: 'Leave it out: a tool is named by its key in server({ tools: { name: tool({ … }) } }).',
  ...Object.fromEntries(
    ['readOnly', 'destructive', 'idempotent', 'openWorld'].flatMap((hint) =>
      [hint, `${hint}Hint`].map((name) => [name, `Write it in \`hints\`: hints: { ${hint}: true }.`]),
    ),
  ),
  meta: 'Write `_meta`.',
  timeoutMs: 'Write `timeout`, in milliseconds.',
  rateLimit: "Write `limit`: limit: { calls: 5, per: 'hour' }.",
  execution: "Write `longRunning`: longRunning: 'optional'.",
  taskSupport: "Write `longRunning`: longRunning: 'optional'.",
}

const hintNames: KnownOptions<Hints> = { readOnly: true, destructive: true, idempotent: true, openWorld: true }
const insteadOfHints: OptionHints = {
  readOnlyHint: 'Write `readOnly`.',
  destructiveHint: 'Write `destructive`.',
  idempotentHint: 'Write `idempotent`.',
  openWorldHint: 'Write `openWorld`.',
  title: 'Write it beside them: tool({ title: …, hints: { … } }).',
}

/** A hint that is misspelt leaves the worst case in force, and nobody would know why. */
export function checkHints(hints: Hints | undefined): void {
  checkOptions('`hints`', hints, hintNames, insteadOfHints)
  for (const [name, value] of Object.entries(hints ?? {}))
    if (value !== undefined && typeof value !== 'boolean') throw definitionError(`\`hints.${name}\` is true or false`)
}

function checkTimeout(timeout: number | undefined): void {
  if (timeout !== undefined && !(timeout > 0 && timeout <= 2_147_483_647))
    throw definitionError('`timeout` is a number of milliseconds above 0, such as 60_000')
}
