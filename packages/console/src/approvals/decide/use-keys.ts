import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { readStored, store } from '../../api/local-storage.js'

// Single letters must be possible to switch off: some people speak to their computer. https://www.w3.org/TR/WCAG22/#character-key-shortcuts
const kept = 'toolwire-approval-keys'

export const lettersEnabled = signal(readStored(kept) !== 'off')

export function setLettersEnabled(on: boolean): void {
  lettersEnabled.value = on
  store(kept, on ? 'on' : 'off')
}

/** Calls back with the action of each key pressed on the page, except in text fields. `act` returns true if it has acted. */
export function useKeys(isAsked: boolean, act: (act: KeyAction) => boolean): void {
  const latest = useRef({ isAsked, act })
  latest.current = { isAsked, act }
  // A layout effect, so that keys pressed right after rendering count.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { target } = event
      if (!(target instanceof Element) || isTypedInto(target) || document.querySelector('dialog[open]')) return
      const meant = keyActionOf(event, { isInList: target.closest('[data-queue]') !== null, isAsked: latest.current.isAsked })
      if (!meant || (!lettersEnabled.value && event.key.length === 1)) return
      if (latest.current.act(meant)) event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}

const isTypedInto = (target: Element): boolean =>
  target.closest('textarea, select, [contenteditable], input:not([type="checkbox"], [type="radio"])') !== null

export type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'repeat' | 'isComposing'>

type KeyAction = 'next' | 'previous' | 'ask-to-allow' | 'allow' | 'deny' | 'unfold' | 'back'

const moves: { readonly [key: string]: KeyAction } = { j: 'next', k: 'previous' }
const arrows: { readonly [key: string]: KeyAction } = { ArrowDown: 'next', ArrowUp: 'previous' }
const plain: { readonly [key: string]: KeyAction } = { a: 'ask-to-allow', d: 'deny', u: 'unfold', Escape: 'back' }

/** The context of a key: arrow keys work in the list only, because elsewhere they scroll. */
type KeyPlace = { readonly isInList: boolean; readonly isAsked: boolean }

/** A held key moves the selection but never decides. Enter alone never decides. */
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
