import type { Json } from 'toolwire'
import { visibleText, visibleTextLine } from '../terminal/visible-text.js'

export class PromptClosed extends Error {
  override name = 'PromptClosed'
}

/** For `catch`: handles a closed prompt, and rethrows every other error. */
export const ifClosed =
  <T>(handle: () => T) =>
  (thrown: unknown): T => {
    if (thrown instanceof PromptClosed) return handle()
    throw thrown
  }

/** Asks for confirmation. Ctrl-C is no answer, and ends the command. */
export const isConfirmed = async (message: string, signal: AbortSignal, initial?: boolean): Promise<boolean> =>
  (await terminalPrompts(signal)).yesOrNo(message, initial)

export type PromptChoice = { readonly value: Json; readonly label: string }
type TextPrompt = {
  readonly message: string
  readonly initial?: string
  readonly hint?: string
  readonly check: (text: string) => string | undefined
}

export type Prompts = Awaited<ReturnType<typeof terminalPrompts>>

/** Prompts on stderr, so that stdout has only the output of the command. */
export async function terminalPrompts(signal?: AbortSignal) {
  const clack = await import('@clack/prompts')
  const terminal = { output: process.stderr, ...(signal && { signal }) }
  async function answered<T>(asked: Promise<T>): Promise<Exclude<T, symbol>> {
    const answer = await asked
    if (typeof answer === 'symbol') throw new PromptClosed('Stopped at the question')
    return answer as Exclude<T, symbol> // symbols were excluded above
  }
  // Options are identified by position, because values may be objects, or equal as text.
  const options = (choices: readonly PromptChoice[]) =>
    choices.map(({ label }, at) => ({ value: at, label: visibleTextLine(label) }))
  const at = (choices: readonly PromptChoice[], value: Json | undefined) => {
    const found = choices.findIndex((choice) => JSON.stringify(choice.value) === JSON.stringify(value))
    return found === -1 ? undefined : found
  }
  return {
    yesOrNo: (message: string, initial = false): Promise<boolean> =>
      answered(clack.confirm({ ...terminal, message: visibleText(message), initialValue: initial })),
    async choose(message: string, choices: readonly PromptChoice[], initial?: Json): Promise<Json> {
      const start = at(choices, initial)
      const asked = { ...terminal, message: visibleText(message), options: options(choices) }
      const index = await answered(clack.select({ ...asked, ...(start !== undefined && { initialValue: start }) }))
      return choices[index]?.value ?? null
    },
    async chooseSeveral(message: string, choices: readonly PromptChoice[], initial: readonly Json[] = []): Promise<Json[]> {
      const initialValues = initial.flatMap((value) => at(choices, value) ?? [])
      const asked = { ...terminal, message: visibleText(message), options: options(choices) }
      const indexes = await answered(clack.multiselect({ ...asked, initialValues, required: false }))
      return choices.filter((_, index) => indexes.includes(index)).map(({ value }) => value)
    },
    type({ message, initial, hint, check }: TextPrompt): Promise<string> {
      const placeholder = hint === undefined ? {} : { placeholder: visibleTextLine(hint) }
      const start = { ...(initial !== undefined && { initialValue: initial }), ...placeholder }
      const validate = (text: string | undefined) => check(text ?? '')
      return answered(clack.text({ ...terminal, message: visibleText(message), validate, ...start })).then((text) => text ?? '')
    },
  }
}
