import type { InputRequired } from './ask.js'
import { checkIcons } from './checks/check-content.js'
import { definitionError } from './checks/definition-error.js'
import { adviseAll, checkOptions, type OptionHints, optionsOf } from './checks/known-options.js'
import { checkMetaKeys } from './checks/meta-keys.js'
import { listOf, someFunction, someObject, someText, someTexts, timeoutMs, trueOrFalse } from './checks/option-values.js'
import type { Content } from './content.js'
import type { Context } from './context.js'
import type { Completer, Described } from './resource.js'

export type PromptMessage = { role: 'user' | 'assistant'; content: Content }
/** An argument that a person fills in before a prompt is used. */
export type PromptArgument = { title?: string; description?: string; required?: boolean; complete?: Completer }

/** The definition of a prompt; only `run` is required. */
export type PromptDefinition<A extends { readonly [name: string]: PromptArgument }> = Omit<
  Described,
  'name' | 'mimeType' | 'annotations'
> & {
  args?: A & { readonly [name: string]: PromptArgument }
  /** Returns the messages; a plain string is one user message. */
  run: (args: ArgumentsOf<A>, ctx: Context) => PromptResult | Promise<PromptResult>
}

type PromptResult = string | readonly PromptMessage[] | InputRequired
type ArgumentsOf<A> = { readonly [K in keyof A]: A[K] extends { required: true } ? string : string | undefined }

/** A prompt as a value; a server gives it its name. */
export type Prompt = {
  readonly kind: 'prompt'
  readonly definition: PromptDefinition<{ readonly [name: string]: PromptArgument }>
}
export type ReadyPrompt = Prompt & { readonly name: string }

/**
 * A prepared conversation that a person can pick.
 *
 * @example
 * ```ts
 * const review = prompt({ description: 'Reviews code', run: () => 'Review the code.' })
 * ```
 */
export function prompt<const A extends { readonly [name: string]: PromptArgument } = Record<never, never>>(
  definition: PromptDefinition<A>,
): Prompt {
  checkOptions('A prompt', definition, options, insteadOf)
  for (const [name, argument] of Object.entries(definition?.args ?? {}))
    checkOptions(`The argument "${name}" of a prompt`, argument, argumentOptions)
  if (typeof definition?.run !== 'function')
    throw definitionError('A prompt needs `run`, the function that gives its messages: prompt({ run: () => "…" })')
  if (definition.icons) checkIcons(definition.icons)
  checkMetaKeys(definition._meta)
  return { kind: 'prompt', definition: definition as unknown as Prompt['definition'] } // required arguments are checked before run
}

const options = optionsOf<PromptDefinition<Record<never, never>>>()('run', {
  'title description server': someText,
  icons: listOf(someObject),
  '_meta args': someObject,
  scopes: someTexts,
  timeout: timeoutMs,
  foreign: trueOrFalse,
})
const argumentOptions = optionsOf<PromptArgument>()({
  'title description': someText,
  required: trueOrFalse,
  complete: someFunction,
})

const args = 'Write `args`, by name: args: { topic: { required: true } }.'
const insteadOf: OptionHints = {
  ...adviseAll('arguments argsSchema input inputSchema parameters', args),
  ...adviseAll('handler callback execute load messages', 'Write `run`, the function that gives the messages: run: (args) => ….'),
  name: 'Leave it out: a prompt is named by its key in server({ prompts: { name: prompt({ … }) } }).',
}

export function readyPrompt(name: string, value: Prompt): ReadyPrompt {
  if (value?.kind !== 'prompt')
    throw definitionError(`Prompt "${name}": it was not made by prompt(). Write prompt({ … }) around its definition.`)
  return { ...value, name }
}
