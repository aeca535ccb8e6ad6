import { fault } from './fault.js'
import { checkLimit } from './limit.js'
import type { Anything, StandardSchema } from './standard-schema.js'
import type { AnyDefinition, Asks, Nothing, Tool, ToolDefinition } from './tool.js'

/**
 * Defines a tool.
 *
 * ```ts
 * const add = tool({ description: 'Adds two numbers', input: z.object({ a: z.number(), b: z.number() }), run: ({ a, b }) => String(a + b) })
 * ```
 */
export function tool<
  I extends StandardSchema = Nothing,
  O extends StandardSchema<Anything> | undefined = undefined,
  A extends Asks<never> = Record<never, never>,
>(definition: ToolDefinition<I, O, A>): Tool<I, O> {
  if (typeof definition?.run !== 'function')
    throw fault('A tool needs `run`, the function that does the work: tool({ run: (input) => … })')
  checkTimeout(definition.timeout)
  if (definition.limit) checkLimit(definition.limit)
  // The types of a definition matter to whoever writes it and to the typed client; at run time schemas stand guard instead.
  const forgotten = definition as unknown as AnyDefinition
  return Object.freeze({ '~tool': undefined as never, definition: Object.freeze({ ...forgotten }) })
}

function checkTimeout(timeout: number | undefined): void {
  if (timeout !== undefined && !(timeout > 0 && timeout <= 2_147_483_647))
    throw fault('`timeout` is a number of milliseconds above 0, such as 60_000')
}
