import { useEffect, useState } from 'preact/hooks'
import { type Confirmation, confirmationMs, isConfirmed } from './confirmation.js'

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
