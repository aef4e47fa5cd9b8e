import 'reflect-metadata';
import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Module,
  Req,
  type Type,
  UnauthorizedException,
} from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { ThrottlerModule, type ThrottlerModuleOptions } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { type Account, accountOf, BASE, listening, rejection, type Served, settingsOf, welcome } from '../api';

export type ApiRequest = Request & { account: Account };

export class Authentication implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const account = accountOf(http.getRequest<Request>().header('apiKey'));
    if (!account) {
      http.getResponse<Response>().set(rejection.headers);
      throw new UnauthorizedException(rejection.body);
    }
    http.getRequest<ApiRequest>().account = account;
    return true;
  }
}

class Api {
  webhooks(request: ApiRequest) {
    return settingsOf(request.account);
  }

  base() {
    return welcome;
  }
}
// Decorators called as functions need no compiler option.
Get('webhooks')(Api.prototype, 'webhooks', Object.getOwnPropertyDescriptor(Api.prototype, 'webhooks') as never);
Req()(Api.prototype, 'webhooks', 0);
Get()(Api.prototype, 'base', Object.getOwnPropertyDescriptor(Api.prototype, 'base') as never);
Controller(BASE)(Api);

/** @param guards in the order in which they decide, on every route */
export async function onNest(
  options: ThrottlerModuleOptions,
  guards: Type<CanActivate>[],
  close?: () => unknown,
): Promise<Served> {
  class App {}
  Module({
    imports: [ThrottlerModule.forRoot(options)],
    controllers: [Api],
    providers: guards.map((guard) => ({ provide: APP_GUARD, useClass: guard })),
  })(App);
  const app = await NestFactory.create(App, { logger: false });
  await app.listen(0, '127.0.0.1');
  return listening(app.getHttpServer(), close);
}
