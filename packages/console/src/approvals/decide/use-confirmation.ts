import { useEffect, useState } from 'preact/hooks'

// With keys it takes two to allow: one asks for it, and another, which nobody hits by chance, gives it.

/** What was asked about, and when. */
type Confirmation = { readonly of: string; readonly askedAt: number }

/** Milliseconds for which the second step may follow the first. */
export const confirmationMs = 10_000

/** Whether the second step is about what the first was about, and soon enough. */
export const isConfirmed = (consent: Confirmation | undefined, of: string, now: number): boolean =>
  consent !== undefined && of !== '' && consent.of === of && now - consent.askedAt < confirmationMs

/** The first of two steps to allow what is named: taken or not, and forgotten when the time is over, the window is left, or another call comes. */
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
