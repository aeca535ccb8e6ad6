/** What a key says. */
export type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'repeat' | 'isComposing'>

/** What is done for it. */
export type KeyAction = 'next' | 'previous' | 'ask-to-allow' | 'allow' | 'deny' | 'unfold' | 'back'

const moves: { readonly [key: string]: KeyAction } = { j: 'next', k: 'previous' }
const arrows: { readonly [key: string]: KeyAction } = { ArrowDown: 'next', ArrowUp: 'previous' }
const plain: { readonly [key: string]: KeyAction } = { a: 'ask-to-allow', d: 'deny', u: 'unfold', Escape: 'back' }

/** Where the keys go: the arrows belong to the list, because elsewhere they scroll. */
export type KeyPlace = { readonly isInList: boolean; readonly isAsked: boolean }

/** A key that is held down moves on, and decides nothing. Enter alone never decides. */
export function keyActionOf(key: KeyPress, { isInList, isAsked }: KeyPlace): KeyAction | undefined {
  if (key.isComposing) return undefined
  if (isSecondStep(key)) return isAsked && !key.repeat ? 'allow' : undefined
  if (key.ctrlKey || key.metaKey || key.altKey || key.shiftKey) return undefined
  const name = key.key.length === 1 ? key.key.toLowerCase() : key.key
  const move = own(moves, name) ?? (isInList ? own(arrows, name) : undefined)
  if (move) return move
  return key.repeat ? undefined : own(plain, name)
}

/** Ctrl and Enter, or ⌘ and Enter. */
const isSecondStep = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyPress): boolean =>
  key === 'Enter' && ctrlKey !== metaKey && !altKey && !shiftKey

const own = (table: { readonly [key: string]: KeyAction }, key: string): KeyAction | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined
