LIBS := -lrdkafka
