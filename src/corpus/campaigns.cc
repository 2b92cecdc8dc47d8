#include <fmt/format.h>

#include "base/clock.h"
#include "corpus/vault.h"

namespace hipvault::corpus {

Result<int64_t> Vault::start_campaign(const Campaign& campaign) {
  std::lock_guard<std::mutex> lock(mutex_);
  Result<Statement> insert = database_->prepare(
      "INSERT INTO campaigns(key, owner, state, seconds, trials, seed, settings, created_us) VALUES(?,?,?,?,?,?,?,?)");
  if (!insert) return fail(insert.error());
  insert->text(campaign.key).text(campaign.owner).text("running").real(campaign.seconds).integer(campaign.trials);
  insert->text(std::to_string(campaign.seed)).text(campaign.settings.dump());
  Status done = insert->integer(real_clock().unix_microseconds()).run();
  if (!done) return fail(done.error());
  return database_->last_row();
}

Result<std::optional<Campaign>> Vault::unfinished_campaign(const std::string& key) {
  std::lock_guard<std::mutex> lock(mutex_);
  Result<Statement> query = database_->prepare(
      "SELECT id, key, owner, state, seconds, trials, seed, settings, created_us FROM campaigns "
      "WHERE key = ? AND state = 'running' ORDER BY id DESC LIMIT 1");
  if (!query) return fail(query.error());
  Result<bool> row = query->text(key).step();
  if (!row) return fail(row.error());
  if (!*row) return std::optional<Campaign>();
  Campaign campaign;
  campaign.id = query->column_integer(0);
  campaign.key = query->column_text(1);
  campaign.owner = query->column_text(2);
  campaign.state = query->column_text(3);
  campaign.seconds = query->column_real(4);
  campaign.trials = query->column_integer(5);
  campaign.seed = std::strtoull(query->column_text(6).c_str(), nullptr, 10);
  campaign.settings = Json::parse(query->column_text(7), nullptr, false);
  campaign.created_us = query->column_integer(8);
  return std::optional<Campaign>(std::move(campaign));
}

Result<bool> Vault::adopt_campaign(int64_t id, const std::string& old_owner, const std::string& new_owner) {
  std::lock_guard<std::mutex> lock(mutex_);
  Result<Statement> update =
      database_->prepare("UPDATE campaigns SET owner = ? WHERE id = ? AND owner = ? AND state = 'running'");
  if (!update) return fail(update.error());
  Status done = update->text(new_owner).integer(id).text(old_owner).run();
  if (!done) return fail(done.error());
  return database_->changes() == 1;
}

Status Vault::save_campaign(const Campaign& campaign) {
  std::lock_guard<std::mutex> lock(mutex_);
  Result<Statement> update =
      database_->prepare("UPDATE campaigns SET owner = ?, state = ?, seconds = ?, trials = ? WHERE id = ?");
  if (!update) return fail(update.error());
  return update->text(campaign.owner)
      .text(campaign.state)
      .real(campaign.seconds)
      .integer(campaign.trials)
      .integer(campaign.id)
      .run();
}

}  // namespace hipvault::corpus
