import { htmlAnswer, jsonAnswer, permissionDenied, type Answer } from './answer.ts';
import type { ApiRequest, BrowseContext } from './browse.ts';
import { may } from './options.ts';

/** `GET /api/statistics/`: allowed for any user, and therefore useful to check a token. */
export function showStatistics({ library, objects }: BrowseContext): Answer {
  const documents = library.documents();
  const serials = documents.map((document) => document.archive_serial_number ?? 0);
  return jsonAnswer(200, {
    documents_total: documents.length,
    documents_inbox: null,
    inbox_tag: null,
    inbox_tags: null,
    document_file_type_counts:
      documents.length === 0
        ? []
        : [{ mime_type: 'application/pdf', mime_type_count: documents.length }],
    character_count: 0,
    tag_count: objects.tags.length,
    correspondent_count: objects.correspondents.length,
    document_type_count: objects.document_types.length,
    storage_path_count: objects.storage_paths.length,
    current_asn: Math.max(0, ...serials),
  });
}

/** `GET /api/status/`: the parts of a healthy system, for administrators only. */
export function showStatus({ release }: BrowseContext, { user }: ApiRequest): Answer {
  if (user.permissions !== 'all') return htmlAnswer(403, 'Insufficient permissions');
  return jsonAnswer(200, {
    pngx_version: release.release,
    server_os: 'Linux',
    install_type: 'docker',
    storage: { total: 100_000_000_000, available: 50_000_000_000 },
    database: {
      type: 'sqlite',
      url: '/usr/src/paperless/data/db.sqlite3',
      status: 'OK',
      error: null,
      migration_status: { latest_migration: 'paperless.0001_initial', unapplied_migrations: [] },
    },
    tasks: {
      redis_url: 'redis://broker:6379',
      redis_status: 'OK',
      redis_error: null,
      celery_status: 'OK',
      celery_url: 'celery@sample',
      celery_error: null,
      index_status: 'OK',
      index_last_modified: null,
      index_error: null,
      classifier_status: 'WARNING',
      classifier_last_trained: null,
      classifier_error: 'No classifier training tasks found',
      sanity_check_status: 'WARNING',
      sanity_check_last_run: null,
      sanity_check_error: 'No sanity check tasks found',
    },
  });
}

/** `GET /api/ui_settings/`: the user and their permissions. */
export function showUiSettings({ release }: BrowseContext, { user }: ApiRequest): Answer {
  if (!may(user, 'view_uisettings')) return permissionDenied();
  const all = user.permissions === 'all';
  return jsonAnswer(200, {
    user: { id: user.id, username: user.username, is_staff: all, is_superuser: all, groups: [] },
    settings: {
      update_checking: { backend_setting: 'default' },
      trash_delay: 30,
      version: release.release,
      app_title: null,
      app_logo: null,
      auditlog_enabled: true,
      email_enabled: false,
    },
    permissions: user.permissions === 'all' ? SOME_PERMISSIONS : user.permissions,
  });
}

/** The permissions of an administrator that matter to a scan service. */
const SOME_PERMISSIONS = [
  'add_document',
  'view_document',
  'view_paperlesstask',
  'view_uisettings',
  ...['tag', 'correspondent', 'documenttype', 'storagepath', 'customfield'].flatMap((model) => [
    `add_${model}`,
    `view_${model}`,
  ]),
];

/** `GET /accounts/login/`, which works without a token. */
export function loginPage(): Answer {
  const title = 'Paperless-ngx sign in';
  return htmlAnswer(200, `<!doctype html><html><head><title>${title}</title></head></html>`);
}
