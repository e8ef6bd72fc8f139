/**
 * The members of the HTTP events and results of AWS Lambda that alcove uses.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-apigateway.html
 */

/** Headers or query parameters by name. */
export type Values = Readonly<Record<string, string | undefined>>
export type MultiValues = Readonly<Record<string, readonly string[] | undefined>>

/** An event of an HTTP API of API Gateway (payload format 2.0), or of a function URL. */
export interface HttpEvent {
  readonly version: '2.0'
  readonly rawPath: string
  readonly rawQueryString: string
  readonly cookies?: readonly string[]
  readonly headers: Values
  readonly requestContext: { readonly domainName?: string; readonly http: { readonly method: string; readonly sourceIp?: string } }
  readonly body?: string | null
  readonly isBase64Encoded?: boolean
}

/** An event of a REST API of API Gateway (payload format 1.0), or of an Application Load Balancer, which has `requestContext.elb`. */
export interface ProxyEvent {
  readonly version?: '1.0'
  readonly httpMethod: string
  readonly path: string
  readonly headers?: Values | null
  readonly multiValueHeaders?: MultiValues | null
  readonly queryStringParameters?: Values | null
  readonly multiValueQueryStringParameters?: MultiValues | null
  readonly requestContext: {
    readonly elb?: object
    readonly domainName?: string
    readonly identity?: { readonly sourceIp?: string | null }
  }
  readonly body?: string | null
  readonly isBase64Encoded?: boolean
}

export type LambdaEvent = HttpEvent | ProxyEvent

/** The members of the context of an invocation that alcove uses. */
export interface LambdaContext {
  getRemainingTimeInMillis?(): number
}

/** The result of an invocation: the reply to the client. */
export interface LambdaResult {
  readonly statusCode: number
  readonly statusDescription?: string
  readonly headers?: Record<string, string>
  readonly multiValueHeaders?: Record<string, string[]>
  readonly cookies?: string[]
  readonly body: string
  readonly isBase64Encoded: boolean
}

export function isHttpEvent(event: LambdaEvent): event is HttpEvent {
  return event.version === '2.0'
}
