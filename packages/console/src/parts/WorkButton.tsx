import { useState } from 'preact/hooks'
import { Button, type ButtonProps } from './Button.js'
import { errorText } from './Problem.js'
import { toast } from './Toast.js'

/** Does something that takes a while, and tells when it fails; what it is about may be gone when it is done. */
export function useWork() {
  const [isBusy, setBusy] = useState(false)
  async function run(work: () => Promise<unknown>, failed?: string): Promise<void> {
    setBusy(true)
    await work().catch((thrown: unknown) => toastError(thrown, failed))
    setBusy(false)
  }
  return { isBusy, run }
}

/** Says that something went wrong, with what could not be done before the reason. */
export const toastError = (thrown: unknown, failed?: string): void =>
  toast(failed === undefined ? errorText(thrown) : `${failed}: ${errorText(thrown)}`, 'danger')

type Props = Omit<ButtonProps, 'busy' | 'onClick'> & { readonly work: () => Promise<unknown>; readonly failed?: string }

/** A button that is busy while what it does is under way. */
export function WorkButton({ work, failed, ...button }: Props) {
  const { isBusy, run } = useWork()
  return <Button {...button} busy={isBusy} onClick={() => void run(work, failed)} />
}
