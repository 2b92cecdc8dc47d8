#include <gtest/gtest.h>

#include "search/bandit.h"
#include "search/board.h"
#include "search/space.h"
#include "support/landscape.h"

namespace hipvault::search {
namespace {

class SearchSpace : public ::testing::Test {
 protected:
  test::Landscape landscape_;
  Laboratory lab_ = landscape_.laboratory();
};

TEST_F(SearchSpace, RandomSchedulesAreLegalAndVaried) {
  Space space(lab_, {});
  Random random(1);
  std::set<std::string> texts;
  for (int i = 0; i < 200; ++i) {
    Result<Schedule> schedule = space.random(random);
    ASSERT_TRUE(schedule);
    ASSERT_EQ(schedule->size(), 6u);
    std::map<std::string, std::string> at = as_map(*schedule);
    EXPECT_LE(std::stoi(at["rows"]) * std::stoi(at["vector"]), 128);
    texts.insert(schedule::text(*schedule));
  }
  EXPECT_GT(texts.size(), 150u);
}

TEST_F(SearchSpace, ChangingAnEarlyDecisionRepairsTheLaterOnes) {
  Space space(lab_, {});
  Result<Schedule> wide = space.repaired({{"sketch", "fast"}, {"rows", "8"}, {"vector", "16"}});
  ASSERT_TRUE(wide);
  EXPECT_EQ(as_map(*wide)["vector"], "16");
  Result<Schedule> changed = space.changed(*wide, "rows", "32");
  ASSERT_TRUE(changed);
  EXPECT_EQ(as_map(*changed)["rows"], "32");
  EXPECT_EQ(as_map(*changed)["vector"], "4");  // 32 * 8 is over 128; the nearest legal one is 4
}

TEST_F(SearchSpace, NearestValueGoesByScaleElseFirst) {
  EXPECT_EQ(nearest_value("16", {"1", "8", "256"}), "8");
  EXPECT_EQ(nearest_value("100", {"1", "8", "256"}), "256");
  EXPECT_EQ(nearest_value("lds", {"registers", "lds"}), "lds");
  EXPECT_EQ(nearest_value("cache", {"registers", "lds"}), "registers");
}

TEST_F(SearchSpace, NaiveIsOnlyOfferedWhenPinned) {
  EXPECT_EQ(Space(lab_, {}).sketches(), (std::vector<std::string>{"slow", "fast"}));
  EXPECT_EQ(Space(lab_, {{"sketch", "naive"}}).sketches(), (std::vector<std::string>{"naive"}));
}

TEST_F(SearchSpace, PinsHoldEverywhere) {
  Space space(lab_, {{"waves", "4"}, {"sketch", "slow"}});
  ASSERT_TRUE(space.check_pins());
  Random random(2);
  for (int i = 0; i < 50; ++i) {
    std::map<std::string, std::string> at = as_map(*space.random(random));
    EXPECT_EQ(at["waves"], "4");
    EXPECT_EQ(at["sketch"], "slow");
  }
}

TEST_F(SearchSpace, ImpossiblePinsSayWhy) {
  Status unknown = Space(lab_, {{"wave", "4"}}).check_pins();
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, "fix.unknown");
  EXPECT_NE(unknown.error().hint.find("did you mean \"waves\""), std::string::npos) << unknown.error().hint;
  Status illegal = Space(lab_, {{"sketch", "contract"}}).check_pins();
  ASSERT_FALSE(illegal);
  EXPECT_NE(illegal.error().message.find("the op has no contraction"), std::string::npos) << illegal.error().message;
  Status value = Space(lab_, {{"waves", "3"}}).check_pins();
  ASSERT_FALSE(value);
  EXPECT_NE(value.error().hint.find("1, 2, 4, 8, 16"), std::string::npos) << value.error().hint;
}

TEST(SearchBandit, PlaysEveryArmThenTheBetterOneMore) {
  Bandit bandit(2);
  int plays[2] = {0, 0};
  for (int i = 0; i < 300; ++i) {
    size_t arm = bandit.order().front();
    ++plays[arm];
    bandit.reward(arm, arm == 1 ? 0.9 : 0.2);
    if (i == 1) EXPECT_EQ(plays[0] * plays[1], 1);
  }
  EXPECT_GT(plays[1], 2 * plays[0]);
  EXPECT_GT(plays[0], 5);  // never shut out
}

TEST(SearchBandit, FollowsAChangeOfFortune) {
  Bandit bandit(2);
  int late = 0;
  for (int i = 0; i < 400; ++i) {
    size_t arm = bandit.order().front();
    bandit.reward(arm, (arm == 0) == (i < 200) ? 0.9 : 0.1);
    if (i >= 300 && arm == 1) ++late;
  }
  EXPECT_GT(late, 60);
}

TEST(SearchBoard, FunnelCountsEveryStageAndEveryFamily) {
  Board board;
  auto add = [&](const char* family, Reached reached, std::optional<double> time, int64_t twin = 0) {
    Trial trial;
    trial.family = family;
    trial.reached = reached;
    trial.time_us = time;
    trial.twin = twin;
    trial.reason = reached == Reached::timed ? "" : "why";
    trial.schedule = {{"sketch", family}, {"n", std::to_string(board.trials().size())}};
    trial.source_hash = twin == 0 ? schedule::text(trial.schedule) : "";
    board.add(trial);
  };
  add("row", Reached::timed, 5);
  add("row", Reached::compiled, {});
  add("row", Reached::proposed, {});
  add("point", Reached::correct, {});
  add("point", Reached::timed, 3);
  add("point", Reached::timed, 1, 5);  // a twin is no candidate of its own
  EXPECT_EQ(board.total(), (Funnel{5, 4, 4, 3, 2}));
  EXPECT_EQ(board.families().at("row"), (Funnel{3, 2, 2, 1, 1}));
  EXPECT_EQ(board.families().at("point"), (Funnel{2, 2, 2, 2, 1}));
  EXPECT_EQ(board.twins(), 1);
  ASSERT_NE(board.best(), nullptr);
  EXPECT_EQ(board.best()->number, 5);
  ASSERT_EQ(board.ranked().size(), 2u);
  EXPECT_EQ(board.reasons(1), (std::vector<std::pair<std::string, int64_t>>{{"why", 3}}));
}

}  // namespace
}  // namespace hipvault::search
