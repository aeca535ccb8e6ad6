import { useEffect, useState } from 'preact/hooks'

// Allowing by keyboard takes two keys: one asks, and another that is hardly hit by chance confirms.

/** The subject of the first key, and the time it was pressed. */
type Confirmation = { readonly of: string; readonly askedAt: number }

/** Time allowed between the two keys, in milliseconds. */
export const confirmationMs = 10_000

/** Does the first key concern the same subject, and was it pressed recently? */
export const isConfirmed = (consent: Confirmation | undefined, of: string, now: number): boolean =>
  consent !== undefined && of !== '' && consent.of === of && now - consent.askedAt < confirmationMs

/** State of the first key; forgotten after a timeout, when the window loses the focus, or when another call is shown. */
export function useConfirmation(of: string) {
  const [consent, setConsent] = useState<Confirmation | undefined>(undefined)
  useEffect(() => {
    if (!consent) return
    const forget = () => setConsent(undefined)
    const timer = setTimeout(forget, confirmationMs)
    addEventListener('blur', forget)
    return () => {
      clearTimeout(timer)
      removeEventListener('blur', forget)
    }
  }, [consent])
  const isAsked = () => isConfirmed(consent, of, performance.now())
  return {
    isAsked,
    ask: () => setConsent({ of, askedAt: performance.now() }),
    forget: () => setConsent(undefined),
  }
}
