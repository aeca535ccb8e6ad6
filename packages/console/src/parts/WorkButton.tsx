import { useState } from 'preact/hooks'
import { Button, type ButtonProps } from './Button.js'
import { errorText } from './Problem.js'
import { toast } from './Toast.js'

/** Runs asynchronous work, and shows an error in a toast, because the component may be gone by then. */
export function useWork() {
  const [isBusy, setBusy] = useState(false)
  async function run(work: () => Promise<unknown>, failed?: string): Promise<void> {
    setBusy(true)
    await work().catch((thrown: unknown) => toastError(thrown, failed))
    setBusy(false)
  }
  return { isBusy, run }
}

/** Shows an error in a toast; `failed` says what failed. */
export const toastError = (thrown: unknown, failed?: string): void =>
  toast(failed === undefined ? errorText(thrown) : `${failed}: ${errorText(thrown)}`, 'danger')

type Props = Omit<ButtonProps, 'busy' | 'onClick'> & { readonly work: () => Promise<unknown>; readonly failed?: string }

/** A button that is busy while its work runs. */
export function WorkButton({ work, failed, ...button }: Props) {
  const { isBusy, run } = useWork()
  return <Button {...button} busy={isBusy} onClick={() => void run(work, failed)} />
}
