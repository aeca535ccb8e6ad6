import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { readStored, store } from '../../api/local-storage.js'
import { type KeyAction, keyActionOf } from './keys.js'

// Single letters must be possible to switch off: some people speak to their computer. https://www.w3.org/TR/WCAG22/#character-key-shortcuts
const kept = 'toolwire-approval-keys'

export const lettersEnabled = signal(readStored(kept) !== 'off')

export function setLettersEnabled(on: boolean): void {
  lettersEnabled.value = on
  store(kept, on ? 'on' : 'off')
}

/** Calls back with what the keys say, wherever on the page they are pressed; what somebody types is not meant. True when it was done. */
export function useKeys(isAsked: boolean, act: (act: KeyAction) => boolean): void {
  const latest = useRef({ isAsked, act })
  latest.current = { isAsked, act }
  // As soon as it is shown, and as it is shown: what is pressed at once counts, too.
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
