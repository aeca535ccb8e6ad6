import { toPointer } from '../../schema/pointer.js'
import { cleanText } from '../../text/clean-text.js'
import { capped } from '../../text/cut.js'

/** Something a tool's definition says that the model will not be told. */
export type Loss = {
  /** Where it stood in the input schema, as a JSON pointer. */
  readonly path: string
  readonly keyword: string
  readonly why: string
}

export type Path = readonly (string | number)[]
/** Notes a loss. */
export type Lose = (path: Path, keyword: string, why: string) => void

/** A hostile definition could fill the report; nobody reads on after so many. */
const mostLosses = 100

/** A list of losses and the function that adds to it. */
export function losses(): { noted: Loss[]; lose: Lose } {
  const noted: Loss[] = []
  const lose: Lose = (path, keyword, why) => {
    if (noted.length < mostLosses) noted.push({ path: toPointer(path), keyword: capped(cleanText(keyword), 64), why })
  }
  return { noted, lose }
}
