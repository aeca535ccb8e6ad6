import { useState } from 'preact/hooks'
import { Button, type ButtonProps } from './Button.js'

export function CopyButton({ text, ...button }: ButtonProps & { readonly text: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = () => navigator.clipboard.writeText(text).then(() => setCopied(true))
  return (
    <Button small icon={isCopied ? 'check' : 'copy'} {...button} onClick={() => void copy()}>
      {isCopied ? 'Copied' : 'Copy'}
    </Button>
  )
}
