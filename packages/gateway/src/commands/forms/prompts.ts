import type { Json } from 'toolwire'
import { visible, visibleLine } from '../terminal/hidden.js'

/** Whoever was asked closed the question. */
export class Closed extends Error {
  override name = 'Closed'
}

export type Choice = { readonly value: Json; readonly label: string }
type Typed = {
  readonly message: string
  readonly initial?: string
  readonly hint?: string
  readonly check: (text: string) => string | undefined
}

/** Questions at a terminal, on stderr, so that stdout has nothing but what was asked for. */
export type Prompts = {
  yesOrNo(message: string, initial?: boolean): Promise<boolean>
  choose(message: string, choices: readonly Choice[], initial?: Json): Promise<Json>
  chooseSeveral(message: string, choices: readonly Choice[], initial?: readonly Json[]): Promise<Json[]>
  type(question: Typed): Promise<string>
}

export async function promptsHere(signal?: AbortSignal): Promise<Prompts> {
  const clack = await import('@clack/prompts')
  const terminal = { output: process.stderr, ...(signal && { signal }) }
  async function answered<T>(asked: Promise<T>): Promise<Exclude<T, symbol>> {
    const answer = await asked
    if (typeof answer === 'symbol') throw new Closed('The question was closed')
    return answer as Exclude<T, symbol> // it is none, as was just seen
  }
  // A position stands for each value, because values may be equal as texts, or objects.
  const options = (choices: readonly Choice[]) => choices.map(({ label }, at) => ({ value: at, label: visibleLine(label) }))
  const at = (choices: readonly Choice[], value: Json | undefined) => {
    const found = choices.findIndex((choice) => JSON.stringify(choice.value) === JSON.stringify(value))
    return found === -1 ? undefined : found
  }
  return {
    yesOrNo: (message, initial = false) =>
      answered(clack.confirm({ ...terminal, message: visible(message), initialValue: initial })),
    async choose(message, choices, initial) {
      const start = at(choices, initial)
      const initialValue = start === undefined ? {} : { initialValue: start }
      const index = await answered(
        clack.select({ ...terminal, message: visible(message), options: options(choices), ...initialValue }),
      )
      return choices[index]?.value ?? null
    },
    async chooseSeveral(message, choices, initial = []) {
      const initialValues = initial.flatMap((value) => at(choices, value) ?? [])
      const asked = clack.multiselect({
        ...terminal,
        message: visible(message),
        options: options(choices),
        initialValues,
        required: false,
      })
      const indexes = await answered(asked)
      return choices.filter((_, index) => indexes.includes(index)).map(({ value }) => value)
    },
    type({ message, initial, hint, check }) {
      const start = {
        ...(initial !== undefined && { initialValue: initial }),
        ...(hint !== undefined && { placeholder: visibleLine(hint) }),
      }
      const validate = (text: string | undefined) => check(text ?? '')
      return answered(clack.text({ ...terminal, message: visible(message), validate, ...start })).then((text) => text ?? '')
    },
  }
}
