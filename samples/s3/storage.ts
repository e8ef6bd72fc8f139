import type { Readable } from 'node:stream'
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { environment, Injectable } from 'alcove'

/** The AWS SDK reads the credentials itself: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the role of the machine. */
export class Settings extends environment({
  type: 'object',
  required: ['S3_BUCKET'],
  properties: {
    S3_BUCKET: { type: 'string' },
    S3_REGION: { type: 'string', default: 'eu-central-1' },
    S3_ENDPOINT: { type: 'string', format: 'uri', description: 'for a storage other than S3 of AWS: http://localhost:9000' },
  },
}) {}

@Injectable()
export class Storage {
  readonly #client: S3Client
  readonly #bucket: string

  constructor({ S3_BUCKET, S3_REGION, S3_ENDPOINT }: Settings) {
    this.#bucket = S3_BUCKET
    this.#client = new S3Client({
      region: S3_REGION,
      // Otherwise the SDK signs the checksum of an empty file into the URL of an upload.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      // Other storages than S3 of AWS have the bucket in the path of the URL, and not in its host.
      ...(S3_ENDPOINT !== undefined && { endpoint: S3_ENDPOINT, forcePathStyle: true }),
    })
  }

  /** A URL to which a client may PUT a file of exactly this type and size for five minutes, also more than once. */
  uploadUrl(key: string, type: string, size: number): Promise<string> {
    const command = new PutObjectCommand({ Bucket: this.#bucket, Key: key, ContentType: type, ContentLength: size })
    return getSignedUrl(this.#client, command, { expiresIn: 300, signableHeaders: new Set(['content-type', 'content-length']) })
  }

  /** A URL from which a client may GET the file, for five minutes. */
  downloadUrl(key: string): Promise<string> {
    return getSignedUrl(this.#client, new GetObjectCommand({ Bucket: this.#bucket, Key: key }), { expiresIn: 300 })
  }

  /** Sends a stream whose length nobody knows, in parts of 5 MB. If the stream fails, nothing is left behind. */
  async write(key: string, type: string, source: Readable): Promise<void> {
    const params = { Bucket: this.#bucket, Key: key, ContentType: type, Body: source }
    await new Upload({ client: this.#client, params, queueSize: 2 }).done()
  }

  /** The file, or the part of it that the header `Range` asks for. */
  read(key: string, range: string | undefined, abortSignal: AbortSignal) {
    const command = new GetObjectCommand({ Bucket: this.#bucket, Key: key, ...(range !== undefined && { Range: range }) })
    return this.#client.send(command, { abortSignal })
  }

  onClose(): void {
    this.#client.destroy()
  }
}
