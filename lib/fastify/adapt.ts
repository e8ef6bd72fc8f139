/** Adapts instances, requests and replies to Fastify 5: errors that their methods throw get the codes of Fastify. */
import type { AnyClass } from '../context/conventions.js'
import type { Server } from '../types/server.js'
import { presentError } from './errors.js'

type Method = (this: unknown, ...args: unknown[]) => unknown

/** Replaces the methods of a root instance, so that they throw Fastify's errors. Instances of plugins inherit the methods. */
export function adaptInstance(root: Server): Server {
  adaptMethods(root, Object.getOwnPropertyDescriptors(root))
  return root
}

/**
 * Makes a subclass of the class of requests, whose methods throw Fastify's errors, and whose `hostname` is the host without its port, as in
 * Fastify 5.
 */
export function adaptRequests<Class extends AnyClass>(Own: Class): Class {
  class FastifyRequest extends (Own as AnyClass) {
    get hostname(): string {
      return (this as unknown as { host: string }).host.replace(/:\d*$/, '') // AnyClass does not say that it is a request
    }
  }
  adaptMethods(FastifyRequest.prototype, inheritedMethods(Own))
  return FastifyRequest as Class
}

/** Makes a subclass of the class of replies, whose methods throw Fastify's errors. */
export function adaptReplies<Class extends AnyClass>(Own: Class): Class {
  class FastifyReply extends (Own as AnyClass) {}
  adaptMethods(FastifyReply.prototype, inheritedMethods(Own))
  return FastifyReply as Class
}

/** Returns the members of a class and of its parent classes, by name. */
function inheritedMethods(Own: AnyClass): Record<string, PropertyDescriptor> {
  const { prototype } = Own
  const Parent: unknown = Object.getPrototypeOf(Own)
  const above = typeof Parent === 'function' && Parent.prototype !== undefined ? inheritedMethods(Parent as AnyClass) : {}
  return { ...above, ...Object.getOwnPropertyDescriptors(prototype) }
}

/** Copies those of the given members that are methods to a target object, each wrapped so that it throws Fastify's errors. */
function adaptMethods(target: object, members: Record<string, PropertyDescriptor>): void {
  for (const [name, member] of Object.entries(members)) {
    if (typeof member.value === 'function' && member.writable === true && name !== 'constructor')
      Object.defineProperty(target, name, { ...member, value: presenting(member.value as Method) })
  }
}

function presenting(method: Method): Method {
  return function presented(this: unknown, ...args) {
    try {
      return method.apply(this, args)
    } catch (error) {
      throw presentError(error)
    }
  }
}
