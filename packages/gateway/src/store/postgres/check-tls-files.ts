// The package pg reads the files that an address names by itself. It waits for the writer of a pipe, and does not name a damaged file.
import { createPrivateKey, X509Certificate } from 'node:crypto'

const readCertificate = (bytes: Uint8Array) => new X509Certificate(bytes)
const readPrivateKey = (bytes: Uint8Array) => createPrivateKey(Buffer.from(bytes))
const certificate = { form: 'a certificate as PEM', read: readCertificate } as const
const files = {
  sslrootcert: certificate,
  sslcert: certificate,
  sslkey: { form: 'a private key as PEM, without a password', read: readPrivateKey },
} as const

/** Throws for a file of TLS in the address that cannot be used. */
export async function checkTlsFiles({ searchParams }: URL): Promise<void> {
  for (const [name, { form, read }] of Object.entries(files)) {
    const path = searchParams.get(name)
    if (!path) continue
    const { machine } = await import('toolwire/relay')
    const bytes = await machine.readRegular(path).catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`The ${name} in the address of PostgreSQL cannot be read: ${why}. Correct its path`, { cause })
    })
    try {
      read(bytes)
    } catch (cause) {
      throw new Error(`The ${name} in the address of PostgreSQL must be ${form}, and ${path} is not. Name another file`, {
        cause,
      })
    }
  }
}
